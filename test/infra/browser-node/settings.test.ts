import { expect, test } from 'vitest';
import { readSettings } from '../../../infra/browser-node/index.js';

const TOKEN = { DARKROOM_NODE_TOKEN: 'long-enough' };

test('only the token is required', () => {
  expect(readSettings({ ...TOKEN, DARKROOM_NODE_MAX_SESSIONS: '9' })).toMatchObject({
    host: '127.0.0.1',
    port: 0,
    maxSessions: 9,
    warm: 4,
    sessionLimitMs: 930_000,
    noSandbox: false,
    exitWithParent: false,
  });
});

test('all problems are reported at once by name', () => {
  const environment = {
    DARKROOM_NODE_PORT: '70000',
    DARKROOM_NODE_SESSION_LIMIT_MS: '-1',
    DARKROOM_NODE_NO_SANDBOX: 'yes',
    DARKROOM_NODE_MAX_SESIONS: '3',
  };
  const read = () => readSettings(environment);
  expect(read).toThrow(expect.objectContaining({ code: 'settings_invalid' }));
  for (const name of ['TOKEN', 'PORT', 'SESSION_LIMIT_MS', 'NO_SANDBOX', 'MAX_SESIONS']) {
    expect(read).toThrow(`DARKROOM_NODE_${name}: `);
  }
});

test('a problem never repeats the value', () => {
  expect(() => readSettings({ DARKROOM_NODE_TOKEN: 'short1' })).not.toThrow('short1');
});

test('settings of other parts are no business of the node', () => {
  expect(readSettings({ ...TOKEN, DARKROOM_WORKER_SLOTS: 'x', PATH: '/bin' })).toMatchObject({ token: 'long-enough' });
});
