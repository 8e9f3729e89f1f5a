import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  QUERIES,
  SIGNALS,
  UPDATES,
  type CapacityGranted,
  type JobResult,
  type SessionLost,
  type Timeline,
} from './contract/index.js';

export const capacityGranted = defineSignal<[CapacityGranted]>(SIGNALS.capacityGranted);
export const sessionLost = defineSignal<[SessionLost]>(SIGNALS.sessionLost);
export const timelineQuery = defineQuery<Timeline>(QUERIES.timeline);
/** Answers as soon as the job has its result; `null` when it ended without one, which the workflow's own end explains. */
export const resultUpdate = defineUpdate<JobResult | null>(UPDATES.result);
