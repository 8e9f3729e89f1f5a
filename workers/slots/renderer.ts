import type { Browser, BrowserContext } from 'playwright-core';
import {
  connect,
  createNodeApi,
  createObjectStore,
  HANDLERS,
  JobFailure,
  objectKey,
  resolveTarget,
  type Deadline,
} from '../../activities/index.js';
import type { Job, JobResult, Kind } from '../../workflows/contract/index.js';
import type { Configuration } from '../configuration/index.js';
import type { CaptureInput, OpenInput } from './protocol.js';

/** What runs inside a slot: at most one session, and nothing kept between two. */
export interface Renderer {
  open(deadline: Deadline, input: OpenInput): Promise<{ readonly browser: string }>;
  capture(deadline: Deadline, input: CaptureInput): Promise<JobResult['result']>;
  close(deadline: Deadline, how: 'orderly' | 'drop'): Promise<null>;
}

interface Session {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly ended: AbortController;
}

/** Bound of each step of closing; the worker kills the slot when all of them together take too long. */
const CLOSE_STEP_MS = 5_000;

export function createRenderer(configuration: Configuration): Renderer {
  const nodes = new Map(configuration.nodeConnections.map((connection) => [connection.node, connection]));
  const store = createObjectStore(configuration.storage);
  let session: Session | undefined;

  return {
    async open(deadline, { job, node, reservation, sessionMs }) {
      const connection = nodes.get(node);
      if (connection === undefined) throw new JobFailure('config_mismatch', `Node ${node}.`);
      if (session !== undefined) throw new Error('This slot holds a session already.');
      const browser = await connect(deadline, connection, createNodeApi(connection).dialUrl(reservation, sessionMs));
      const ended = new AbortController();
      browser.on('disconnected', () => {
        ended.abort(new JobFailure('connection_lost', `Node ${node} ended the session.`));
      });
      try {
        const context = await deadline.race(browser.newContext(contextOptions(job)));
        session = { browser, context, ended };
        return { browser: browser.version() };
      } catch (error) {
        void browser.close();
        throw error;
      }
    },

    async capture(deadline, { job, grant, browser }) {
      if (session === undefined) throw new JobFailure('stale_generation', 'The session had been closed.');
      const { context, ended } = session;
      const bound = deadline.joined(ended.signal);
      try {
        const key = (name: string): string => objectKey(grant.ticket.job, grant.reservation, name);
        const url = resolveTarget(configuration.bases, job.input.target);
        const save = (name: string, bytes: Buffer, type: string) => store.put(bound, key(name), bytes, type);
        return await bound.race(
          HANDLERS[job.kind].capture({ deadline: bound, context, url, browser, store: save }, job.input),
        );
      } finally {
        bound.stop();
      }
    },

    async close(deadline, how) {
      const closing = session;
      session = undefined;
      if (closing === undefined) return null;
      const { context, browser } = closing;
      if (how === 'orderly' && browser.isConnected()) await deadline.attempt(CLOSE_STEP_MS, () => context.close());
      const closed = await deadline.attempt(CLOSE_STEP_MS, async () => {
        await browser.close();
        return true;
      });
      // The worker kills a slot that fails to close: it must not be used again while it may hold a session.
      if (closed !== true) throw new JobFailure('connection_lost', 'The browser did not close in time.');
      return null;
    },
  };
}

function contextOptions<K extends Kind>(job: Job<K>) {
  return HANDLERS[job.kind].contextOptions(job.input);
}
