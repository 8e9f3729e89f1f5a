import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { NodeConnection, ObjectStoreConfiguration } from '../../activities/index.js';
import { liteLimits, normalLimits, type Leases, type Limits, type NodeEntry } from '../../scheduler/index.js';
import { DEFAULT_BOUNDS, type Bounds } from '../../workflows/contract/index.js';
import { applyEnvironment, refuseOldKeys, type Environment } from './environment.js';
import { ConfigurationError, describeIssues } from './problems.js';
import {
  configurationSchema,
  type NodeEntryConfiguration,
  type RawConfiguration,
  type SecretReference,
} from './schema.js';

/** What a process runs with: read once, checked as a whole, frozen. Secrets are resolved and never printed. */
export interface Configuration extends Omit<
  RawConfiguration,
  'postgres' | 'storage' | 'nodes' | 'bases' | 'limits' | 'bounds'
> {
  readonly postgres: { readonly url: string; readonly connections: number };
  readonly storage: ObjectStoreConfiguration;
  readonly bases: Readonly<Record<string, URL>>;
  readonly nodeEntries: readonly NodeEntry[];
  readonly nodeConnections: readonly NodeConnection[];
  readonly limits: Limits;
  readonly leases: Leases;
  readonly bounds: Bounds;
}

/**
 * A worker whose own heartbeat is older than this has no new jobs granted. Less than a lease: once a worker's sessions have
 * run out of theirs, none of their jobs goes back to it.
 */
function suspectMsOf(leaseMs: number): number {
  return Math.min(10_000, Math.ceil(leaseMs * 0.75));
}

/**
 * Reads the YAML file that `DARKROOM_CONFIG` names and the environment over it. Fails with `ConfigurationError`, which
 * names every problem at once.
 */
export function readConfiguration(environment: Environment): Configuration {
  const path = environment['DARKROOM_CONFIG'] === '' ? undefined : environment['DARKROOM_CONFIG'];
  refuseOldKeys(environment);
  const file: unknown = path === undefined ? {} : parse(readText(path, 'DARKROOM_CONFIG'));
  const parsed = configurationSchema.safeParse(applyEnvironment(file, environment));
  if (!parsed.success) {
    const problems = describeIssues(parsed.error, configurationSchema);
    const noFile = 'DARKROOM_CONFIG: is not set, and the environment alone is not enough (or use --config <file>)';
    throw new ConfigurationError(path === undefined ? [noFile, ...problems] : problems);
  }
  const problems: string[] = [];
  const configuration = resolve(parsed.data, (reference) => {
    try {
      return resolveSecret(reference, environment);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return '';
    }
  });
  problems.push(...contradictions(configuration));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Object.freeze(configuration);
}

function resolve(raw: RawConfiguration, secret: (reference: SecretReference) => string): Configuration {
  const defined = <T extends object>(values: T) => values as { [K in keyof T]: Exclude<T[K], undefined> };
  const bounds: Bounds = { ...DEFAULT_BOUNDS, ...defined(raw.bounds) };
  const { leaseMs, connectMs } = bounds;
  const limits = { ...(raw.profile === 'lite' ? liteLimits : normalLimits), ...defined(raw.limits) };
  return {
    ...raw,
    postgres: { url: secret(raw.postgres.url), connections: raw.postgres.connections },
    storage: {
      ...raw.storage,
      accessKey: secret(raw.storage.accessKey),
      secretKey: secret(raw.storage.secretKey),
    },
    bases: Object.fromEntries(Object.entries(raw.bases).map(([name, url]) => [name, new URL(url)])),
    nodeEntries: raw.nodes.map(nodeEntryOf),
    nodeConnections: raw.nodes.map((entry) => ({
      node: entry.id,
      endpoint: entry.endpoint,
      token: entry.token === undefined ? null : secret(entry.token),
      headers: Object.fromEntries(Object.entries(entry.headers ?? {}).map(([name, value]) => [name, secret(value)])),
      hash: hashOf(entry),
    })),
    limits,
    leases: { leaseMs, connectMs, workerSuspectMs: suspectMsOf(leaseMs) },
    bounds,
  };
}

/** Values that are well by themselves, but not together. Bounds that only clip each other are no contradiction. */
function contradictions({ bounds, render, retention, nodeEntries }: Configuration): string[] {
  const ordered: readonly (readonly [smaller: string, number, larger: string, number])[] = [
    // A heartbeat that comes no sooner than the lease ends would lose every capture.
    ['render.heartbeatMs', render.heartbeatMs, 'half of bounds.leaseMs', bounds.leaseMs / 2],
    // A summary tells of a result that is gone, and the ledger of jobs whose keys are still taken.
    ['retention.resultMs', retention.resultMs, 'retention.summaryMs', retention.summaryMs],
    ['retention.summaryMs', retention.summaryMs, 'retention.ledgerMs', retention.ledgerMs],
    ...nodeEntries
      .filter(({ enabled }) => enabled)
      .map(
        ({ node, sessionLimitMs }) =>
          ['bounds.attemptMs', bounds.attemptMs, `sessionLimitMs of node ${node}`, sessionLimitMs] as const,
      ),
  ];
  return ordered.flatMap(([smaller, low, larger, high]) =>
    low <= high ? [] : [`${smaller}: must be at most ${larger}, ${String(high)} ms`],
  );
}

function nodeEntryOf(entry: NodeEntryConfiguration): NodeEntry {
  return {
    node: entry.id,
    maxSessions: entry.maxSessions,
    enabled: entry.enabled,
    zone: entry.zone ?? null,
    sessionLimitMs: entry.sessionLimitMs,
    hash: hashOf(entry),
  };
}

/** The entry's config version: workers must hold the same. Secrets are in it by reference only. */
function hashOf(entry: NodeEntryConfiguration): string {
  return createHash('sha256').update(JSON.stringify(entry)).digest('hex');
}

function resolveSecret(reference: SecretReference, environment: Environment): string {
  if (typeof reference === 'string') return reference;
  if ('file' in reference) return readText(reference.file, 'a secret').trim();
  const value = environment[reference.env];
  if (value === undefined || value === '') throw new ConfigurationError([`${reference.env}: is not set`]);
  return value;
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigurationError([`${what}: cannot read the file ${path}`]);
  }
}
