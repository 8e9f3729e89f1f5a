export type { Consumption, Expectation, Outcome, Submission } from '../workflows/contract/index.js';
export type { Abortable } from './abort.js';
export { createDarkroom, type Darkroom, type SubmittedJob } from './darkroom.js';
export { DarkroomError } from './error.js';
export type { JobHandle } from './job-handle.js';
