/** What a slot needs of the activities: it renders, and neither asks the scheduler nor talks to Temporal. */
export { HANDLERS, openBlankPage, resolveTarget, type BlankPage } from './capture/index.js';
export { Deadline } from './deadline.js';
export { JobFailure, messageOf } from './failure.js';
export { createObjectStore, objectKey } from './results/index.js';
export { connect, loadPlaywright, NeverOpened, NodeRefusal } from './session/connect.js';
export { createNodeApi } from './session/node.js';
