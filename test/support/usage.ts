export { LedgerUsage } from '../scheduler/properties.js';
export { findDrift } from '../scheduler/drift.js';
