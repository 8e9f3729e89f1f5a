export type { Topology } from './configuration.js';
export { StackGuardian } from './guardian.js';
export type { Part, PartServices } from './parts.js';
export { preparePrograms, ProgramError, thisMachine, type Machine, type Programs } from './programs/index.js';
export { startBrowserNode, type BrowserNodeOptions, type BrowserNodeService } from './services/browser-node.js';
export { startObjectStore, type ObjectStoreService } from './services/object-store.js';
export { startPages, type PagesService } from './services/pages.js';
export { startPostgres, type PostgresService } from './services/postgres.js';
export {
  ServiceError,
  type Exit,
  type Guardian,
  type Service,
  type ServiceOptions,
  type WatchedProcess,
} from './services/service.js';
export { startTemporal, type TemporalService } from './services/temporal.js';
export { startWorker, type WorkerName, type WorkerOptions } from './services/workers.js';
export { startStack, type Stack, type StackOptions } from './stack.js';
