import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** `hole` keeps every byte until it ends, as a network does that lost its route; TCP then sends again. */
export type Network = 'pass' | 'cut' | 'delay' | 'hole' | '503';

/** A fixed address for a service that is restarted on other ports, and the network in front of it. */
export interface FaultProxy {
  readonly host: string;
  readonly port: number;
  /** Connections so far, and those among them that a fault refused. */
  readonly accepted: number;
  readonly refused: number;
  target(port: number): void;
  set(network: Network): void;
  close(): Promise<void>;
}

const DELAY_MS = 400;
const LOOK_MS = 20;
const UNAVAILABLE = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

export async function startFaultProxy(): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  let target: number | undefined;
  let network: Network = 'pass';
  const count = { accepted: 0, refused: 0 };

  /** Chunks wait for each other, so that their order stays. */
  const pass = (from: Socket, to: Socket): void => {
    let line = Promise.resolve();
    const inLine = (step: () => void): void => {
      line = line.then(async () => {
        if (network === 'delay') await pause(DELAY_MS);
        while (network === 'hole' && !from.destroyed) await pause(LOOK_MS);
        step();
      });
    };
    sockets.add(from);
    from.on('data', (chunk: Buffer) => {
      inLine(() => to.writable && to.write(chunk));
    });
    from.on('end', () => {
      inLine(() => to.end());
    });
    from.on('error', () => from.destroy()); // Either end may be killed.
    from.on('close', () => {
      sockets.delete(from);
      inLine(() => to.destroy());
    });
  };
  const server = createServer((socket) => {
    count.accepted += 1;
    if (network === '503' || network === 'cut') count.refused += 1;
    if (network === '503') {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(UNAVAILABLE));
    } else if (network === 'cut' || target === undefined) socket.destroy();
    else {
      const upstream = connect(target, '127.0.0.1');
      pass(socket, upstream);
      pass(upstream, socket);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return count.accepted;
    },
    get refused() {
      return count.refused;
    },
    target: (port) => {
      target = port;
    },
    set: (next) => {
      network = next;
      if (next === 'cut' || next === '503') drop();
    },
    close: async () => {
      network = 'cut';
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
