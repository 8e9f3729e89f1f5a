export { parentActivities, type ParentPorts } from './activities.js';
