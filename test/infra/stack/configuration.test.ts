import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { writeConfiguration } from '../../../infra/stack/configuration.js';
import type { PartServices } from '../../../infra/stack/index.js';
import { readConfiguration } from '../../../workers/configuration/index.js';

const SECRETS = ['node-token', 'postgres-url', 'storage-access-key', 'storage-secret-key'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'darkroom-configuration-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the configuration names every address, and secrets by file only', () => {
  const file = writeConfiguration(folder, services(2), 'local');
  const secret = (name: string): { file: string } => ({ file: join(folder, 'secrets', name) });
  expect(parse(readFileSync(file, 'utf8'))).toEqual({
    temporal: { address: '127.0.0.1:7233', namespace: 'default', ui: 'http://127.0.0.1:8233' },
    postgres: { url: secret('postgres-url') },
    storage: {
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      bucket: 'darkroom',
      accessKey: secret('storage-access-key'),
      secretKey: secret('storage-secret-key'),
    },
    nodes: [
      {
        id: 'local',
        endpoint: 'ws://127.0.0.1:4444/chromium',
        token: secret('node-token'),
        maxSessions: 2,
        zone: 'local',
      },
    ],
    bases: { pages: 'http://127.0.0.1:8080/' },
    profile: 'normal',
    render: { slots: 2, zone: 'local' },
  });
});

test('lite has one slot', () => {
  const file = writeConfiguration(folder, services(1), 'lite');
  expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ profile: 'lite', render: { slots: 1 } });
});

test('nobody else may read the configuration or a secret', () => {
  const file = writeConfiguration(folder, services(2), 'local');
  const files = [file, ...SECRETS.map((name) => join(folder, 'secrets', name))];
  expect(files.map((path) => statSync(path).mode & 0o777)).toEqual(files.map(() => 0o600));
});

test('workers understand the configuration', () => {
  const file = writeConfiguration(folder, services(2), 'local');
  expect(readConfiguration({ DARKROOM_CONFIG: file })).toMatchObject({
    postgres: { url: 'postgres://darkroom:secret@127.0.0.1:5432/darkroom' },
    render: { slots: 2 },
  });
});

function services(maxSessions: number): PartServices {
  const service = {
    pid: 0,
    exited: new Promise<never>(() => undefined),
    stop: () => Promise.resolve(),
    logTail: () => '',
  };
  return {
    postgres: { ...service, name: 'postgres', url: 'postgres://darkroom:secret@127.0.0.1:5432/darkroom' },
    temporal: { ...service, name: 'temporal', address: '127.0.0.1:7233', uiUrl: 'http://127.0.0.1:8233' },
    objectStore: {
      ...service,
      name: 'object-store',
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      bucket: 'darkroom',
      accessKey: 'key',
      secretKey: 'secret',
    },
    pages: { ...service, name: 'pages', url: 'http://127.0.0.1:8080/' },
    browserNode: {
      ...service,
      name: 'browser-node',
      endpoint: 'ws://127.0.0.1:4444/chromium',
      token: 'token',
      maxSessions,
      connectLog: 'connects.jsonl',
    },
  };
}
