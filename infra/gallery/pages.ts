import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sirv from 'sirv';
import { OVERLAYS } from './overlays.js';
import { packageFolder, PACKAGES } from './packages.js';

export interface PagesServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Everything that a page fetches is the gallery's own. A policy refuses the rest at once and the same way everywhere,
 * where a request into a network without internet would be refused late, or never.
 */
const POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:";

/** Serves `/<package>/…` from the installed packages that the gallery names. Port 0 takes a free one. */
export async function startPagesServer({ port = 0, host = '127.0.0.1' } = {}): Promise<PagesServer> {
  const server = createPagesServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${String(address.port)}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
    },
  };
}

function createPagesServer(): Server {
  const folders = PACKAGES.map((name) => ({
    prefix: `/${name}/`,
    serve: sirv(packageFolder(name), { dev: true, setHeaders: restrict }),
  }));
  return createServer((request, response) => {
    const missing = (): void =>
      void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not in the gallery.');
    const { pathname } = new URL(request.url ?? '/', 'http://gallery');
    const overlay = Object.hasOwn(OVERLAYS, pathname) ? OVERLAYS[pathname]?.() : undefined;
    if (overlay !== undefined) {
      restrict(response);
      response.writeHead(200, { 'content-type': overlay.contentType }).end(overlay.body);
      return;
    }
    const folder = folders.find(({ prefix }) => pathname.startsWith(prefix));
    if (folder === undefined) {
      missing();
      return;
    }
    request.url = `/${(request.url ?? '').slice(folder.prefix.length)}`;
    folder.serve(request, response, missing);
  });
}

function restrict(response: ServerResponse): void {
  response.setHeader('content-security-policy', POLICY);
}
