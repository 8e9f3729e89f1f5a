export type {
  CapacityActivities,
  CapacityState,
  CommittedResult,
  GiveBack,
  Grant,
  QuarantineReason,
  RequestCapacityAnswer,
  RequestCapacityInput,
  ReservationRef,
  Ticket,
  WithdrawAnswer,
} from './capacity.js';
export {
  describeError,
  ERROR_CODES,
  ERRORS,
  isErrorCode,
  type Actor,
  type ErrorCode,
  type ErrorEntry,
  type JobError,
  type Layer,
} from './errors.js';
export { canonicalInput, jobId, kindOfJob, WORKSPACE_PATTERN } from './ids.js';
export {
  DEFAULT_BOUNDS,
  type Bounds,
  type Job,
  type JobBounds,
  type JobFailureDetails,
  type JobResult,
  type Timings,
} from './job.js';
export type { Inputs, Results } from './kinds.js';
export {
  CONTRACT_VERSION,
  KINDS,
  QUERIES,
  SEARCH_ATTRIBUTES,
  SIGNALS,
  TASK_QUEUES,
  UPDATES,
  WORKFLOW_TYPES,
  type JobClass,
  type Kind,
} from './names.js';
export type {
  PageScreenshotInput,
  PageScreenshotRequest,
  PageScreenshotResult,
  SettleStep,
  StoredObject,
} from './page-screenshot.js';
export { redact } from './redact.js';
export { initialSearchAttributes } from './search-attributes.js';
export type {
  CapacityGranted,
  CaptureInput,
  CloseSessionAnswer,
  CloseSessionInput,
  OpenSessionAnswer,
  OpenSessionInput,
  SessionActivities,
  SessionLost,
} from './session.js';
export {
  TIMELINE_COLUMNS,
  timelineRows,
  type JobState,
  type Phase,
  type Timeline,
  type TimelineSpan,
} from './timeline.js';
