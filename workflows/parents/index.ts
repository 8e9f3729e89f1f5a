export { renderBatch, type BatchItem, type BatchOptions, type BatchOutcome, type BatchResult } from './batch.js';
export { startJob, type ParentExpectation, type ParentJob, type StartJobOptions } from './job.js';
export { diagnose, takeScreenshot, type Diagnosis } from './kinds.js';
export { isUnavailable } from './unavailable.js';
