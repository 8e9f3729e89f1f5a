export { sessionActivities, type SessionPorts } from './activities.js';
export { createCloseSession, type CloseSession, type ClosingPorts } from './closing.js';
export { connect, loadPlaywright, NeverOpened, NodeRefusal } from './connect.js';
export type { SessionHost } from './host.js';
export { createNodeApi, type NodeApi, type NodeConnection, type NodeVersion } from './node.js';
export { Nodes, type KnownNode } from './nodes.js';
