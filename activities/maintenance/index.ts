export { createUpkeep, type Upkeep, type UpkeepPorts } from './upkeep.js';
export { sweepActivities, type SweepPorts } from './sweep.js';
export { ensureSweepSchedule } from './schedule.js';
