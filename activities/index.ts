export { capacityActivities, createDelivery, type Delivery } from './capacity/index.js';
export { Deadline } from './deadline.js';
export { JobFailure, messageOf } from './failure.js';
export { heartbeats, translateErrors } from './interceptor.js';
export { createUpkeep, ensureSweepSchedule, sweepActivities, type Upkeep } from './maintenance/index.js';
export { parentActivities } from './parents/index.js';
export { createObjectStore, type ObjectStoreConfiguration } from './results/index.js';
export {
  createCloseSession,
  createNodeApi,
  NeverOpened,
  NodeRefusal,
  Nodes,
  sessionActivities,
  type CloseSession,
  type NodeConnection,
  type SessionHost,
} from './session/index.js';
