import type { Evidence } from './evidence.js';
import type { Results } from './kinds.js';
import type { StoredObject } from './page-screenshot.js';

/** The objects that a result, or evidence, names: by the name of their field. */
export function storedObjects(of: Results[keyof Results] | Evidence): Readonly<Record<string, StoredObject>> {
  return Object.fromEntries(
    Object.entries(of).filter((entry): entry is [string, StoredObject] => isStoredObject(entry[1])),
  );
}

/** The objects that a report names, at whatever depth. */
export function objectsIn(report: unknown): readonly StoredObject[] {
  if (isStoredObject(report)) return [report];
  return typeof report === 'object' && report !== null ? Object.values(report).flatMap(objectsIn) : [];
}

function isStoredObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && 'key' in value && 'sha256' in value && 'contentType' in value;
}
