import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { named, startOwnProgram } from './own-program.js';
import { expectOk, untilAnswered } from './readiness.js';
import { secretIn } from './secrets.js';
import type { Service, ServiceOptions } from './service.js';

const NAME = 'browser-node';
const READY_WITHIN_MS = 40_000;

export interface BrowserNodeOptions extends ServiceOptions {
  readonly maxSessions: number;
  /** Path of the browser; the node looks for one itself when it is not given. */
  readonly chromium?: string;
}

export interface BrowserNodeService extends Service {
  /** WebSocket address for CDP connections, without the token. */
  readonly endpoint: string;
  readonly token: string;
  readonly maxSessions: number;
  /** One JSON document a line for every session opened, closed or refused. */
  readonly connectLog: string;
}

/** Our own browser node with one Chromium process a session. */
export function startBrowserNode(options: BrowserNodeOptions): Promise<BrowserNodeService> {
  const { folder, maxSessions, chromium } = options;
  const token = secretIn(folder, 'token');
  const connectLog = join(folder, 'connects.jsonl');
  const profiles = join(folder, 'profiles');
  mkdirSync(profiles, { recursive: true, mode: 0o700 });
  return startOwnProgram(
    {
      name: NAME,
      path: 'infra/browser-node/main.js',
      env: {
        DARKROOM_NODE_TOKEN: token,
        DARKROOM_NODE_MAX_SESSIONS: String(maxSessions),
        DARKROOM_NODE_PORT: '0',
        DARKROOM_NODE_PARENT: 'ipc',
        DARKROOM_NODE_WORK_DIR: profiles,
        DARKROOM_NODE_CONNECT_LOG: connectLog,
        ...(chromium === undefined ? {} : { DARKROOM_NODE_CHROMIUM: chromium }),
      },
      readyWithinMs: READY_WITHIN_MS,
    },
    options,
    async (ready) => {
      const host = `127.0.0.1:${String(named(NAME, 'port', ready.port))}`;
      await untilAnswered(READY_WITHIN_MS, () => expectOk(`http://${host}/json/version?token=${token}`));
      return { endpoint: `ws://${host}/chromium`, token, maxSessions, connectLog };
    },
  );
}
