/** What renders and stores, for slots and readers of results: nothing here asks the scheduler or talks to Temporal. */
export {
  asFailure,
  HANDLERS,
  openBlankPage,
  resolveTarget,
  StepClock,
  Witness,
  type BlankPage,
  type CaptureSession,
} from './capture/index.js';
export { Deadline } from './deadline.js';
export { JobFailure, messageOf } from './failure.js';
export { createObjectStore, objectKey } from './results/index.js';
export { connect, loadPlaywright, NeverOpened, NodeRefusal } from './session/connect.js';
export type { Captured } from './session/host.js';
export { createNodeApi } from './session/node.js';
export { watchPulse } from './session/pulse.js';
