import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Pages that are ready only when the test says so: this is how a test holds a job inside its capture. */
export interface GateServer {
  readonly url: URL;
  /**
   * Settles when the page `/gated/<name>` has run its script, or `/held/<name>`, whose answer waits for the gate itself, was
   * asked for, for the `times`-th time (from 1).
   */
  reached(name: string, times?: number): Promise<void>;
  /** Lets all pages of this name become ready, now and later. */
  open(name: string): void;
  close(): Promise<void>;
}

/** To be waited for with `waitFor: [{ type: 'ready' }]`. */
const page = (name: string): string => `<!doctype html><title>${name}</title>
<body style="margin:0;background:#0a7"><h1>${name}</h1>
<script>window.darkroomReady = fetch('/open/${name}')</script>`;

export async function startGateServer(): Promise<GateServer> {
  const opened = new Set<string>();
  const waiting = new Map<string, ServerResponse[]>();
  const counts = new Map<string, number>();
  const watchers: { name: string; times: number; resolve: () => void }[] = [];

  const arrive = (name: string, response: ServerResponse): void => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (opened.has(name)) response.end('open');
    else waiting.set(name, [...(waiting.get(name) ?? []), response]);
    for (const watcher of watchers) if (isReached(watcher)) watcher.resolve();
  };
  const isReached = ({ name, times }: { name: string; times: number }): boolean => (counts.get(name) ?? 0) >= times;

  const server = createServer((request, response) => {
    const [, kind, name = ''] = (request.url ?? '/').split(/[/?]/);
    if (kind === 'open') arrive(name, response);
    else if (kind === 'held') arrive(name, response.setHeader('content-type', 'text/html'));
    else if (kind === 'gated') response.setHeader('content-type', 'text/html').end(page(name));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`),
    reached: (name, times = 1) =>
      new Promise((resolve) => {
        const watcher = { name, times, resolve };
        if (isReached(watcher)) resolve();
        else watchers.push(watcher);
      }),
    open: (name) => {
      opened.add(name);
      for (const response of waiting.get(name) ?? []) response.end('open');
      waiting.delete(name);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
