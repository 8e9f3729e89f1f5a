import { hostname } from 'node:os';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What names the machine or its folders; ports of loopback and ids that were drawn may stay. */
export interface Machine {
  readonly host: string;
  /** Folders whose paths may stand in messages, such as the checkout. */
  readonly folders: readonly string[];
}

export const thisMachine = (folders: readonly string[]): Machine => ({ host: hostname(), folders });

/**
 * A history in proto JSON without what names the machine it was recorded on: identities, stacks, host and folder names,
 * also inside payloads. The same history and machine always give the same text.
 */
export function scrub(history: unknown, machine: Machine): string {
  return `${JSON.stringify(scrubValue(history as Json, '', machine))}\n`;
}

function scrubValue(value: Json, key: string, machine: Machine): Json {
  if (typeof value === 'string') return scrubText(value, key, machine);
  if (value === null || typeof value !== 'object') return value;
  if (isArray(value)) return value.map((one) => scrubValue(one, key, machine));
  if (isPayload(value)) return { ...value, data: scrubPayload(value.data, machine) };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, scrubValue(one, name, machine)]));
}

function scrubText(text: string, key: string, { host, folders }: Machine): string {
  if (key === 'identity') return 'recorder';
  if (key === 'stackTrace') return '';
  const withoutFolders = folders.reduce((rest, folder) => rest.replaceAll(folder, '/checkout'), text);
  return withoutFolders.replaceAll(host, 'recorder');
}

/** Payloads are JSON in base64; what is inside is scrubbed by the same rules. */
function scrubPayload(data: string, machine: Machine): string {
  const text = Buffer.from(data, 'base64').toString('utf8');
  if (text === '') return data;
  const scrubbed = JSON.stringify(scrubValue(JSON.parse(text) as Json, '', machine));
  return Buffer.from(scrubbed).toString('base64');
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isPayload(value: Json): value is { readonly metadata: Json; readonly data: string } {
  return (
    value !== null &&
    typeof value === 'object' &&
    !isArray(value) &&
    typeof value['data'] === 'string' &&
    value['metadata'] !== undefined
  );
}
