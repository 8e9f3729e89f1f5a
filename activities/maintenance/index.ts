export { createUpkeep, type Upkeep, type UpkeepPorts } from './upkeep.js';
