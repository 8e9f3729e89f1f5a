import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between workers and a node, and can keep session connections from being answered. */
export interface NodeProxy {
  /** To be used instead of the node's own endpoint. */
  readonly endpoint: string;
  /** From now on session dials are taken and not answered; control requests still pass. */
  hold(): void;
  /** Lets dials pass again, those that are held too. */
  release(): void;
  /** Settles when a dial is being held. */
  held(): Promise<void>;
  close(): Promise<void>;
}

const SESSION = 'GET /chromium';

export async function startNodeProxy(endpoint: string): Promise<NodeProxy> {
  const target = new URL(endpoint);
  const sockets = new Set<Socket>();
  const pending: (() => void)[] = [];
  const watchers: (() => void)[] = [];
  let holding = false;

  const forward = (socket: Socket, first: Buffer): void => {
    const upstream = connect(Number(target.port), target.hostname);
    track(upstream);
    upstream.write(first);
    socket.pipe(upstream).pipe(socket);
    socket.resume();
  };
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // Either end may be killed by a test.
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    track(socket);
    socket.once('data', (first: Buffer) => {
      socket.pause();
      if (!holding || !first.toString('latin1').startsWith(SESSION)) forward(socket, first);
      else {
        pending.push(() => {
          forward(socket, first);
        });
        for (const tell of watchers.splice(0)) tell();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(endpoint);
  url.port = String((server.address() as AddressInfo).port);
  return {
    endpoint: url.href,
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const dial of pending.splice(0)) dial();
    },
    held: () =>
      new Promise((resolve) => {
        if (pending.length > 0) resolve();
        else watchers.push(resolve);
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
