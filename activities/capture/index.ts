export { openBlankPage, type BlankPage } from './blank-page.js';
export { asFailure, classify } from './classify.js';
export type { CaptureSession, KindHandler } from './kind.js';
export { HANDLERS } from './registry.js';
export { StepClock } from './step-clock.js';
export { resolveTarget } from './target.js';
export { Witness } from './witness.js';
