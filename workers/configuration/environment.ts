import { ConfigurationError } from './problems.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Keys that stand alone in the environment, by their path in the file. Whatever else is set belongs into the file. */
const VARIABLES: Readonly<Record<string, readonly [section: string, key: string]>> = {
  DARKROOM_TEMPORAL_ADDRESS: ['temporal', 'address'],
  DARKROOM_TEMPORAL_NAMESPACE: ['temporal', 'namespace'],
  DARKROOM_TEMPORAL_UI: ['temporal', 'ui'],
  DARKROOM_BUILD_ID: ['temporal', 'buildId'],
  DARKROOM_POSTGRES_URL: ['postgres', 'url'],
  DARKROOM_STORAGE_ENDPOINT: ['storage', 'endpoint'],
  DARKROOM_STORAGE_REGION: ['storage', 'region'],
  DARKROOM_STORAGE_BUCKET: ['storage', 'bucket'],
  DARKROOM_STORAGE_ACCESS_KEY: ['storage', 'accessKey'],
  DARKROOM_STORAGE_SECRET_KEY: ['storage', 'secretKey'],
  DARKROOM_RENDER_ZONE: ['render', 'zone'],
  DARKROOM_LOG_LEVEL: ['log', 'level'],
  PLAYWRIGHT_BROWSER_RUNTIME_BASE_URL: ['bases', 'runtime'],
};

/** Keys of older set-ups, with what replaces them: ignoring one would start something else than the operator meant. */
const OLD_KEYS: Readonly<Record<string, string>> = {
  PLAYWRIGHT_BROWSER_EXECUTABLE_PATH: 'DARKROOM_NODE_CHROMIUM on the browser node (workers launch no browser)',
  PLAYWRIGHT_BROWSER_REUSE: 'nothing: a browser process serves one session',
  PLAYWRIGHT_BROWSER_RECYCLE_TASKS: 'nothing: a browser process serves one session',
  PLAYWRIGHT_BROWSER_RECYCLE_AGE_SECONDS: 'nothing: a browser process serves one session',
  SCREENSHOT_BASE_URL: 'PLAYWRIGHT_BROWSER_RUNTIME_BASE_URL or bases.runtime',
};

export function refuseOldKeys(environment: Environment): void {
  const found = Object.entries(OLD_KEYS).filter(([key]) => environment[key] !== undefined);
  if (found.length === 0) return;
  throw new ConfigurationError(found.map(([key, replacement]) => `${key}: is replaced by ${replacement}`));
}

/** The file's document with the environment's values over it; the schema checks the outcome. */
export function applyEnvironment(document: unknown, environment: Environment): unknown {
  if (document !== null && (typeof document !== 'object' || Array.isArray(document))) return document;
  const result: Record<string, unknown> = { ...(document as Record<string, unknown> | null) };
  for (const [variable, [section, key]] of Object.entries(VARIABLES)) {
    const value = environment[variable];
    if (value === undefined) continue;
    const present = result[section];
    result[section] = { ...(typeof present === 'object' ? present : {}), [key]: value };
  }
  return result;
}
