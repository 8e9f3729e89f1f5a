export { SlotPool } from './pool.js';
export { Slot } from './slot.js';
