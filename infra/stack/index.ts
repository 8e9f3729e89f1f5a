export type { Topology } from './configuration.js';
export { StackGuardian } from './guardian.js';
export type { Part, PartServices } from './parts.js';
export { preparePrograms, ProgramError, type Machine, type Programs } from './programs/index.js';
export { startObjectStore, type ObjectStoreService } from './services/object-store.js';
export { startPostgres, type PostgresService } from './services/postgres.js';
export { ServiceError, type Exit, type Guardian, type Service, type WatchedProcess } from './services/service.js';
export { startTemporal, type TemporalService } from './services/temporal.js';
export { startStack, type Stack, type StackOptions } from './stack.js';
