export { describeReplay } from './describe.js';
export type { Divergence } from './divergence.js';
export { HistoryFormatError, parseHistory, workflowIdOf } from './history.js';
export { replayHistories, type NamedHistory, type Replayed } from './replay.js';
