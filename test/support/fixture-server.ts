import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

type Route = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export interface FixtureServer {
  readonly url: URL;
  /** Paths asked for so far, with their queries. */
  readonly hits: readonly string[];
  close(): Promise<void>;
}

/** Answers that no file can give. Everything else is a file of `test/pages`. */
const ROUTES: Readonly<Record<string, Route>> = {
  /** Takes the request and never answers. */
  '/hang': () => undefined,
  /** `?status=503`, with a page as its body. */
  '/status': (_, response, url) => {
    const status = Number(url.searchParams.get('status'));
    send(
      response,
      status,
      'text/html',
      `<title>${String(status)}</title><body style="background:#0a0">${String(status)}`,
    );
  },
  /** Answers after `?ms=`. */
  '/slow': (_, response, url) => {
    setTimeout(
      () => {
        send(response, 200, 'application/json', '{}');
      },
      Number(url.searchParams.get('ms')),
    );
  },
  /** Promises more than it sends, and hangs up. */
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-length': '9000' });
    response.write('<title>Cut</title><body style="background:#0a0">', () => response.destroy());
  },
  '/unauthorized': (_, response) => {
    response.setHeader('www-authenticate', 'Basic realm="fixtures"');
    send(response, 401, 'text/html', 'no');
  },
  '/empty': (_, response) => response.writeHead(204).end(),
  '/download': (_, response) => {
    response.setHeader('content-disposition', 'attachment; filename="a.bin"');
    send(response, 200, 'application/octet-stream', 'data');
  },
  '/pdf': (_, response) => send(response, 200, 'application/pdf', '%PDF-1.4\n'),
  /** `?type=application/zip` */
  '/typed': (_, response, url) => send(response, 200, url.searchParams.get('type') ?? '', '{}'),
  '/reset': (request) => request.socket.destroy(),
  /** `?to=/x&status=302` */
  '/redirect': (_, response, url) => {
    const status = Number(url.searchParams.get('status') ?? 302);
    response.writeHead(status, { location: url.searchParams.get('to') ?? '/' }).end();
  },
  /** `?text=` is the whole answer, as it goes over the wire. */
  '/raw': (request, _, url) => request.socket.end(url.searchParams.get('text') ?? ''),
  '/circle': (_, response) => response.writeHead(302, { location: '/circle' }).end(),
  '/poll': (_, response) => send(response, 200, 'application/json', '{}'),
  /** An event source that stays open. */
  '/events': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  },
  /** A square of `?colour=`, drawn by the browser. */
  '/square': (_, response, url) => {
    const colour = url.searchParams.get('colour') ?? '#000';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="${colour}"/></svg>`;
    send(response, 200, 'image/svg+xml', svg);
  },
  /** `?html=` is the page; `?csp=` its policy. */
  '/page': (_, response, url) => {
    const policy = url.searchParams.get('csp');
    if (policy !== null) response.setHeader('content-security-policy', policy);
    send(response, 200, 'text/html; charset=utf-8', url.searchParams.get('html') ?? '');
  },
};

const PAGES = fileURLToPath(new URL('../pages', import.meta.url));

/** The pages that captures are tested on, or those of another folder, on a port of their own. */
export async function startFixtureServer(folder = PAGES): Promise<FixtureServer> {
  const files = sirv(folder, { dev: true });
  const sockets = new Set<Socket>();
  const hits: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fixtures');
    hits.push(`${url.pathname}${url.search}`);
    const route = ROUTES[url.pathname];
    if (route) route(request, response, url);
    else files(request, response, () => send(response, 404, 'text/html', 'not here'));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`),
    hits,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
    },
  };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
