import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { NodeError } from '../errors.js';
import type { SessionDesk } from '../session-desk.js';
import { checkToken, isTrackingId, readAddress } from './access.js';
import { pressure, sessionList, versionInfo, type NodeFacts } from './answers.js';
import { metricsText } from './metrics.js';

export type EndpointOptions = {
  desk: SessionDesk;
  token: string;
  facts: () => NodeFacts;
  log: Logger;
};

type Answer = { status: number; body?: unknown; text?: string };
type Call = { host: string; parts: string[] };
type Endpoint = {
  methods: readonly string[];
  open?: true;
  answer: (options: EndpointOptions, call: Call) => Answer | Promise<Answer>;
};

const READ = ['GET', 'HEAD'] as const;

const ENDPOINTS: Record<string, Endpoint> = {
  healthz: { methods: READ, open: true, answer: ({ facts }) => healthAnswer(facts()) },
  'json/version': { methods: READ, answer: ({ facts }, { host }) => ok(versionInfo(facts(), host)) },
  pressure: { methods: READ, answer: ({ facts, desk }) => ok(pressure(facts(), desk)) },
  sessions: { methods: READ, answer: ({ facts, desk }, { host }) => ok(sessionList(facts(), desk, host)) },
  metrics: { methods: READ, answer: ({ facts, desk }) => ({ status: 200, text: metricsText(facts(), desk) }) },
  'kill/*': { methods: ['GET', 'DELETE'], answer: kill },
};

/** The plain HTTP side of the node. Every endpoint but the liveness probe asks for the token first. */
export function createEndpoints(options: EndpointOptions): RequestListener {
  return (request, response) => {
    respond(options, request).then(
      (answer) => send(response, request, answer),
      (error: unknown) => {
        const known =
          error instanceof NodeError ? error : new NodeError('internal', 'internal error', { cause: error });
        if (known.code === 'internal') options.log.error({ err: error }, 'a request failed');
        send(response, request, { status: known.status, body: { code: known.code, message: known.message } });
      },
    );
  };
}

async function respond(options: EndpointOptions, request: IncomingMessage): Promise<Answer> {
  const { path, query } = readAddress(request);
  const parts = path.slice(1).split('/');
  const endpoint = ENDPOINTS[path.slice(1)] ?? (parts.length === 2 ? ENDPOINTS[`${parts[0]}/*`] : undefined);
  if (endpoint?.open !== true) checkToken(request, query, options.token);
  if (endpoint === undefined) throw new NodeError('not_found', 'no such path');
  if (!endpoint.methods.includes(request.method ?? '')) {
    throw new NodeError('method_not_allowed', `this path takes ${endpoint.methods.join(', ')}`);
  }
  return await endpoint.answer(options, { host: hostOf(request), parts });
}

async function kill({ desk }: EndpointOptions, { parts }: Call): Promise<Answer> {
  const id = parts[1] ?? '';
  if (!isTrackingId(id))
    throw new NodeError('tracking_id_invalid', 'a tracking id has 1 to 31 characters of [A-Za-z0-9_-]');
  await desk.kill(id);
  return { status: 204 };
}

function healthAnswer({ health }: NodeFacts): Answer {
  return { status: health.status === 'unhealthy' ? 503 : 200, body: health };
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function send(response: ServerResponse, request: IncomingMessage, answer: Answer): void {
  response.statusCode = answer.status;
  response.setHeader('Cache-Control', 'no-store');
  if (answer.body === undefined && answer.text === undefined) return void response.end();
  response.setHeader('Content-Type', answer.text === undefined ? 'application/json' : 'text/plain; version=0.0.4');
  const body = answer.text ?? JSON.stringify(answer.body);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function hostOf(request: IncomingMessage): string {
  const given = request.headers.host;
  if (given !== undefined && /^[A-Za-z0-9.:[\]-]+$/.test(given)) return given;
  const { localAddress = '127.0.0.1', localPort = 0 } = request.socket;
  return localAddress.includes(':') ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
}
