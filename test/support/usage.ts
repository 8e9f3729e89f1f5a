export { LedgerUsage } from '../scheduler/properties.js';
