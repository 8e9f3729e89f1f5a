import { defineQuery, defineSignal } from '@temporalio/workflow';
import { QUERIES, SIGNALS, type CapacityGranted, type SessionLost, type Timeline } from './contract/index.js';

export const capacityGranted = defineSignal<[CapacityGranted]>(SIGNALS.capacityGranted);
export const sessionLost = defineSignal<[SessionLost]>(SIGNALS.sessionLost);
export const timelineQuery = defineQuery<Timeline>(QUERIES.timeline);
