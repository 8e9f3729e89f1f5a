export { createObjectStore, objectKey, type ObjectStore, type ObjectStoreConfiguration } from './object-store.js';
