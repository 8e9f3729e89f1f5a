export {
  createObjectStore,
  objectKey,
  partsOfKey,
  type ListedObject,
  type ObjectStore,
  type ObjectStoreConfiguration,
} from './object-store.js';
