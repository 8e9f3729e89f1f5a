export { createDarkroom, type Darkroom, type Submission } from './darkroom.js';
export { DarkroomError } from './error.js';
export type { JobHandle, Outcome } from './job-handle.js';
