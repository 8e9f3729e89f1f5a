export type {
  Activation,
  ArtifactRef,
  Capacity,
  CapacityRequest,
  CapacitySnapshot,
  Commit,
  Consumed,
  Consumption,
  Grant,
  Granted,
  JobClass,
  Leases,
  LedgerEntry,
  Limits,
  NodeEntry,
  NodeHealth,
  NodeReport,
  QuarantinedReservation,
  QuarantineReason,
  RefusalCode,
  RequestAnswer,
  RequeueReason,
  ReservationRef,
  ResultToCommit,
  StoredResult,
  Sweep,
  Ticket,
  WithdrawAnswer,
  WorkerRegistration,
} from './capacity.js';
export { whatIsHeldBack, type HeldBack } from './held-back.js';
export { migrate, MigrationChangedError, type Migrated, type MigrateOptions } from './migrate.js';
export { backoffMs, defaultLeases, defaultRetention, liteLimits, normalLimits } from './policy.js';
export { createPool, isServerAway, type PoolConfig } from './pool.js';
export { longestResultBytes } from './operations/reservations.js';
export { createCapacity, createRetention } from './postgres.js';
export type { ClearReason, Forgotten, KeptResult, ResultSummary, Retention, RetentionStore } from './retention.js';
