import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ConfigurationError, readConfiguration } from '../../../workers/configuration/index.js';

const folder = mkdtempSync(join(tmpdir(), 'darkroom-configuration-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const minimal = {
  temporal: { address: 'localhost:7233' },
  postgres: { url: { env: 'DATABASE' } },
  storage: { endpoint: 'http://localhost:9000', bucket: 'darkroom', accessKey: 'a', secretKey: { env: 'SECRET' } },
  nodes: [{ id: 'n1', endpoint: 'ws://127.0.0.1:4444/chromium', token: { env: 'TOKEN' }, maxSessions: 2 }],
  bases: { pages: 'http://localhost:8080/' },
};
const secrets = { DATABASE: 'postgres://db', SECRET: 's', TOKEN: 't' };

function read(document: unknown, environment: Record<string, string> = secrets) {
  const file = join(folder, 'darkroom.yaml');
  writeFileSync(file, stringify(document));
  return readConfiguration({ DARKROOM_CONFIG: file, ...environment });
}

function problemsOf(document: unknown, environment?: Record<string, string>): readonly string[] {
  try {
    read(document, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

test('a minimal file has the defaults of the normal profile, with secrets resolved', () => {
  const configuration = read(minimal);
  expect(configuration.limits).toMatchObject({ running: 2, waiting: 128 });
  expect(configuration.bounds).toMatchObject({ queueMs: 60_000, attempts: 2 });
  expect(configuration.postgres.url).toBe('postgres://db');
  expect(configuration.nodeConnections[0]).toMatchObject({ node: 'n1', token: 't' });
  expect(Object.isFrozen(configuration)).toBe(true);
});

test('the lite profile runs one session at a time, and single limits can be set over a profile', () => {
  expect(read({ ...minimal, profile: 'lite' }).limits.running).toBe(1);
  expect(read({ ...minimal, limits: { running: 7 } }).limits).toMatchObject({ running: 7, runningPerUser: 2 });
});

test('all problems are reported at once, by name', () => {
  const problems = problemsOf({
    ...minimal,
    storage: { ...minimal.storage, bucket: 'x' },
    bounds: { queueMs: 0, quueMs: 1 },
    nodes: [{ ...minimal.nodes[0], maxSessions: 0 }],
  }).join('\n');
  for (const name of ['storage.bucket', 'bounds.queueMs', 'bounds.quueMs', 'nodes.0.maxSessions']) {
    expect(problems).toContain(name);
  }
});

test('an unknown key comes with the nearest known one, or with all that are known', () => {
  const problems = problemsOf({
    ...minimal,
    bounds: { quueMs: 1 },
    nodes: [{ ...minimal.nodes[0], maxSession: 2 }],
    upkeep: { frequency: 1 },
  });
  expect(problems).toEqual([
    'nodes.0.maxSession: is no key of the configuration; did you mean maxSessions?',
    'bounds.quueMs: is no key of the configuration; did you mean queueMs?',
    'upkeep.frequency: is no key of the configuration; known are sweepMs, probeMs',
  ]);
});

test('bounds that contradict each other, and every secret that is missing, are named together', () => {
  const contradicting = {
    ...minimal,
    bounds: { leaseMs: 4_000, attemptMs: 60_000 },
    render: { heartbeatMs: 3_000 },
    nodes: [{ ...minimal.nodes[0], sessionLimitMs: 20_000 }],
  };
  expect(problemsOf(contradicting, {})).toEqual([
    'DATABASE: is not set',
    'SECRET: is not set',
    'TOKEN: is not set',
    'render.heartbeatMs: must be at most half of bounds.leaseMs, 2000 ms',
    'bounds.attemptMs: must be at most sessionLimitMs of node n1, 20000 ms',
  ]);
});

test('a result is kept no longer than its summary, and that no longer than the ledger', () => {
  expect(problemsOf({ ...minimal, retention: { resultMs: 7_000, summaryMs: 6_000, ledgerMs: 5_000 } })).toEqual([
    'retention.resultMs: must be at most retention.summaryMs, 6000 ms',
    'retention.summaryMs: must be at most retention.ledgerMs, 5000 ms',
  ]);
  expect(problemsOf({ ...minimal, retention: { everyMs: 10 } }).join()).toMatch(/^retention\.everyMs: /);
  expect(read(minimal).retention).toMatchObject({ resultMs: 86_400_000, consumedMs: 3_600_000, everyMs: 60_000 });
});

test.each([
  [60_000, 10_000],
  [4_000, 3_000],
])('a worker is suspect before a lease of %i ms runs out: after %i ms', (leaseMs, workerSuspectMs) => {
  expect(read({ ...minimal, bounds: { leaseMs } }).leases.workerSuspectMs).toBe(workerSuspectMs);
});

test('without a file the first thing that is named is the file', () => {
  expect(() => readConfiguration({})).toThrow(/1?\d problem\(s\):\n {2}DARKROOM_CONFIG: is not set/);
});

test('a short total deadline alone is no contradiction: it clips the attempt', () => {
  expect(problemsOf({ ...minimal, bounds: { totalMs: 5_000 } })).toEqual([]);
});

test('C11, C12: a node entry may not override the session limit in its endpoint, and a limit must be positive', () => {
  const entry = minimal.nodes[0];
  const of = (over: object): string => problemsOf({ ...minimal, nodes: [{ ...entry, ...over }] }).join('\n');
  expect(of({ endpoint: 'ws://127.0.0.1:4444/chromium?timeout=1' })).toContain('timeout');
  expect(of({ endpoint: 'ws://127.0.0.1:4444/chromium?token=abc' })).toContain('token');
  expect(of({ sessionLimitMs: 0 })).toContain('sessionLimitMs');
  expect(of({ sessionLimitMs: -1 })).toContain('sessionLimitMs');
});

test('an unencrypted node on another host must be allowed by name', () => {
  const entry = { ...minimal.nodes[0], endpoint: 'ws://node.internal:4444/chromium' };
  expect(problemsOf({ ...minimal, nodes: [entry] }).join('\n')).toContain('insecure');
  expect(problemsOf({ ...minimal, nodes: [{ ...entry, insecure: true }] })).toEqual([]);
});

test('a token in the file itself is refused, and a reference to nothing is named without a value', () => {
  expect(problemsOf({ ...minimal, nodes: [{ ...minimal.nodes[0], token: 'plain' }] })).not.toEqual([]);
  expect(problemsOf(minimal, { DATABASE: 'd', SECRET: 's' })).toEqual(['TOKEN: is not set']);
});

test('the environment stands over the file', () => {
  const configuration = read(minimal, {
    ...secrets,
    DARKROOM_TEMPORAL_ADDRESS: 'other:7233',
    PLAYWRIGHT_BROWSER_RUNTIME_BASE_URL: 'https://preview.example/pages/',
  });
  expect(configuration.temporal.address).toBe('other:7233');
  expect(configuration.bases['runtime']?.href).toBe('https://preview.example/pages/');
});

test('a key of an older set-up stops the start with the key that replaces it', () => {
  expect(problemsOf(minimal, { ...secrets, SCREENSHOT_BASE_URL: 'http://x' }).join()).toContain(
    'PLAYWRIGHT_BROWSER_RUNTIME_BASE_URL',
  );
});

test('the hash of a node entry changes with the entry and not with the secret’s value', () => {
  const hash = (document: unknown, token: string): string | undefined =>
    read(document, { ...secrets, TOKEN: token }).nodeEntries[0]?.hash;
  expect(hash(minimal, 'a')).toBe(hash(minimal, 'b'));
  expect(hash({ ...minimal, nodes: [{ ...minimal.nodes[0], maxSessions: 3 }] }, 'a')).not.toBe(hash(minimal, 'a'));
});
