export { readConfiguration, type Configuration } from './configuration.js';
export type { Environment } from './environment.js';
export { ConfigurationError } from './problems.js';
