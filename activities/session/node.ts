import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';

/** A node as the worker dials it: the operator's entry with its secrets resolved. Never leaves the process. */
export interface NodeConnection {
  readonly node: string;
  /** `ws://` or `wss://`, without the token. */
  readonly endpoint: string;
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly hash: string;
}

export interface NodeVersion {
  readonly browser: string;
  /** Hash of the fonts that the node has, if it tells. */
  readonly fontSet: string | null;
  /** Whether a killed tracking id stays barred: then a confirmed kill needs no second look. */
  readonly barsKilledIds: boolean;
}

/** The node's HTTP side, as Browserless and Darkroom's own node both speak it. */
export interface NodeApi {
  /** The address to dial for one session. `sessionMs` is asked of the node as the session's own limit. */
  dialUrl(reservation: string, sessionMs: number): string;
  /** Fails with `browser_unavailable` or `node_auth_failed`. */
  version(deadline: Deadline): Promise<NodeVersion>;
  /** Ends the session with this tracking id. `gone` also when the node does not know it. */
  kill(deadline: Deadline, reservation: string): Promise<'gone' | 'unknown'>;
  /** Tracking ids of the sessions that live. */
  sessions(deadline: Deadline): Promise<readonly string[]>;
}

export function createNodeApi(connection: NodeConnection): NodeApi {
  const ask = (deadline: Deadline, path: string): Promise<Response> => request(connection, deadline, path);
  return {
    dialUrl: (reservation, sessionMs) =>
      address(connection, connection.endpoint, { trackingId: reservation, timeout: String(Math.floor(sessionMs)) }),
    version: async (deadline) => {
      const answer = (await (await ask(deadline, '/json/version')).json()) as Record<string, unknown>;
      const fontSet = answer['Darkroom-Font-Set'];
      return {
        browser: typeof answer['Browser'] === 'string' ? answer['Browser'] : 'unknown',
        fontSet: typeof fontSet === 'string' ? fontSet : null,
        barsKilledIds: typeof answer['Darkroom-Node'] === 'string',
      };
    },
    kill: async (deadline, reservation) => {
      const response = await ask(deadline, `/kill/${reservation}`);
      await response.body?.cancel();
      return response.status === 404 ? 'unknown' : 'gone';
    },
    sessions: async (deadline) => {
      const answer: unknown = await (await ask(deadline, '/sessions')).json();
      if (!Array.isArray(answer)) throw new JobFailure('browser_unavailable', 'The node gave no session list.');
      return answer.flatMap((session: { trackingId?: unknown }) =>
        typeof session.trackingId === 'string' ? [session.trackingId] : [],
      );
    },
  };
}

async function request(connection: NodeConnection, deadline: Deadline, path: string): Promise<Response> {
  const url = new URL(path, connection.endpoint.replace(/^ws/, 'http'));
  let response: Response;
  try {
    response = await fetch(address(connection, url.href, {}), {
      headers: connection.headers,
      signal: deadline.signal,
    });
  } catch (error) {
    if (deadline.signal.aborted) throw error;
    throw new JobFailure('browser_unavailable', `${connection.node}: ${messageOf(error)}`, { cause: error });
  }
  if (response.status === 401 || response.status === 403) throw new JobFailure('node_auth_failed', connection.node);
  if (response.ok || response.status === 404) return response;
  throw new JobFailure('browser_unavailable', `${connection.node} answered ${String(response.status)}.`);
}

function address({ token }: NodeConnection, base: string, query: Record<string, string>): string {
  const url = new URL(base);
  if (token !== null) url.searchParams.set('token', token);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
