import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { MAX_MESSAGE_BYTES } from '../chromium/pipe.js';
import { NodeError } from '../errors.js';
import type { SessionDesk } from '../session-desk.js';
import { checkOrigin, checkToken, readAddress, readLimit, readTrackingId } from './access.js';

export type UpgradeOptions = {
  desk: SessionDesk;
  token: string;
  sessionLimitMs: number;
  log: Logger;
};

type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const SESSION_PATHS = new Set(['/', '/chromium']);
const RETRY_AFTER_SECONDS = 1;

/** Turns a WebSocket request into a session, or answers it with a proper HTTP response that says why not. */
export function createUpgradeHandler(options: UpgradeOptions): UpgradeHandler {
  const sockets = new WebSocketServer({
    noServer: true,
    // Compression costs more time than loopback or a rack saves; and Chromium checks the text anyway.
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  return (request, socket, head) => {
    // Without a listener, a client that resets its connection would end the process; `close` follows.
    socket.on('error', () => undefined);
    openSession(options, sockets, request, socket, head).catch((error: unknown) => {
      const known = error instanceof NodeError ? error : new NodeError('internal', 'internal error', { cause: error });
      if (known.code === 'internal') options.log.error({ err: error }, 'a connect failed');
      options.desk.refused(trackingIdOf(request), known.code);
      refuse(socket, known);
    });
  };
}

async function openSession(
  { desk, token, sessionLimitMs }: UpgradeOptions,
  sockets: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { path, query } = readAddress(request);
  checkToken(request, query, token);
  checkOrigin(request);
  if (!SESSION_PATHS.has(path)) throw new NodeError('not_found', `no sessions at ${path}`);
  const wish = { trackingId: readTrackingId(query), limitMs: readLimit(query, sessionLimitMs) };
  const waiting = watchWaitingClient(socket);
  const session = await desk.open({ ...wish, clientGone: waiting.gone }).finally(waiting.stop);
  sockets.handleUpgrade(request, socket, head, (client) => session.attach(client));
  // Paused on purpose while nobody listened; a listener alone does not make it flow again.
  socket.resume();
  // `ws` answers a malformed handshake, or a client that left, by itself and never calls back.
  if (session.state === 'opening') session.end('client_closed');
}

/**
 * A socket that nobody reads does not tell that its client has left. A client that waits for the handshake has
 * nothing to say, so whatever arrives here is the end, or a client that breaks the protocol.
 */
function watchWaitingClient(socket: Duplex): { gone: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  const onGone = () => {
    controller.abort();
  };
  const events = ['data', 'end', 'close'] as const;
  for (const event of events) socket.once(event, onGone);
  socket.resume();
  const stop = () => {
    socket.pause();
    for (const event of events) socket.off(event, onGone);
  };
  return { gone: controller.signal, stop };
}

function refuse(socket: Duplex, error: NodeError): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify({ code: error.code, message: error.message });
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(error.code === 'at_capacity' ? [`Retry-After: ${RETRY_AFTER_SECONDS}`] : []),
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function trackingIdOf(request: IncomingMessage): string | null {
  try {
    return readTrackingId(readAddress(request).query);
  } catch {
    // The refusal itself says that the address or the id is invalid.
    return null;
  }
}
