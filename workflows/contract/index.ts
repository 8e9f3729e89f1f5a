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
  PREVIEW_PROTOCOL,
  type ComponentDiagnosticsInput,
  type ComponentDiagnosticsRequest,
  type ComponentDiagnosticsResult,
  type ComponentReport,
  type PreviewRequest,
  type Scenario,
  type ScenarioProblem,
  type ScenarioReport,
  type ScenarioState,
  type ScenarioSummary,
  type StackFrame,
} from './component-diagnostics.js';
export {
  canonicalExpectation,
  CONSUME_WORKFLOW,
  consumeId,
  type ArtifactRef,
  type ConsumeInput,
  type Consumption,
  type Expectation,
} from './consumption.js';
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
export type { Evidence, EvidenceReport, Tail } from './evidence.js';
export type { Capped, Finding, FindingBox, Severity } from './findings.js';
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
  WORKER_DEPLOYMENT,
  UPDATES,
  WORKFLOW_TYPES,
  type JobClass,
  type Kind,
} from './names.js';
export {
  RULES_VERSION,
  type ConsoleEntry,
  type PageDiagnosticsInput,
  type PageDiagnosticsRequest,
  type PageDiagnosticsResult,
  type PageError,
  type PagePerformance,
  type PageReport,
  type RequestEntry,
} from './page-diagnostics.js';
export {
  failureOf,
  failureWith,
  outcomeOverResets,
  runsOf,
  successOf,
  type Failure,
  type JobRuns,
  type RunHandle,
  type Outcome,
  type Success,
} from './outcome.js';
export type {
  PageScreenshotInput,
  PageScreenshotRequest,
  PageScreenshotResult,
  SettleStep,
  StoredObject,
} from './page-screenshot.js';
export type { AttachJobInput, ParentActivities, PrepareJobAnswer, PrepareJobInput } from './parents.js';
export { redact } from './redact.js';
export { initialSearchAttributes, keyword } from './search-attributes.js';
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
export { objectsIn, storedObjects } from './stored-objects.js';
export { malformation } from './shape.js';
export { isConflict, startOptions, workflowTypeOf } from './start-options.js';
export type { PreparedJob, RequestOf, Submission } from './submission.js';
export {
  SWEEP_SCHEDULE,
  SWEEP_WORKFLOW,
  type ForgottenRows,
  type SweepActivities,
  type SweepReport,
  type SweptObjects,
  type SweptWorkflows,
} from './sweep.js';
export {
  TIMELINE_COLUMNS,
  timelineRows,
  type CaptureStep,
  type StepTime,
  type JobState,
  type Phase,
  type Timeline,
  type TimelineSpan,
} from './timeline.js';
