import { startProxy } from './proxy.js';

interface Connect {
  readonly event: 'open' | 'close';
  readonly at: string;
}

/** Stands between workers and a node, and can keep requests from being answered. */
export interface NodeProxy {
  /** To be used instead of the node's own endpoint. */
  readonly endpoint: string;
  /** From now on requests whose path begins like this are taken and not answered; others still pass. */
  hold(...paths: readonly ('/chromium' | '/kill' | '/sessions')[]): void;
  /** Lets requests pass again, those that are held too. */
  release(): void;
  /** Every session that the node opened through here, and its end, in order. */
  connects(): readonly Connect[];
  /** Settles when a request is being held. */
  held(): Promise<void>;
  close(): Promise<void>;
}

export async function startNodeProxy(endpoint: string): Promise<NodeProxy> {
  const pending: (() => void)[] = [];
  const watchers: (() => void)[] = [];
  const connects: Connect[] = [];
  let holding: readonly string[] = [];

  const proxy = await startProxy(endpoint, (socket, upstream) => {
    upstream.pipe(socket);
    upstream.once('data', (answer: Buffer) => {
      if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) return;
      connects.push({ event: 'open', at: new Date().toISOString() });
      upstream.once('close', () => connects.push({ event: 'close', at: new Date().toISOString() }));
    });
    socket.on('end', () => upstream.end());
    // A request of this API fits one chunk, also on a connection that was used before.
    socket.on('data', (chunk: Buffer) => {
      const asked = chunk.toString('latin1');
      if (!holding.some((path) => asked.startsWith(`GET ${path}`))) upstream.write(chunk);
      else {
        pending.push(() => upstream.write(chunk));
        for (const tell of watchers.splice(0)) tell();
      }
    });
  });
  return {
    endpoint: proxy.url,
    hold: (...paths) => {
      holding = paths;
    },
    release: () => {
      holding = [];
      for (const pass of pending.splice(0)) pass();
    },
    connects: () => connects,
    held: () =>
      new Promise((resolve) => {
        if (pending.length > 0) resolve();
        else watchers.push(resolve);
      }),
    close: () => proxy.close(),
  };
}
