import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A port of its own in front of a server. */
export interface Proxy {
  /** The server's URL, through here. */
  readonly url: string;
  close(): Promise<void>;
}

/** `join` passes what each end sends. An end that closes takes the other one with it. */
export async function startProxy(server: string, join: (client: Socket, upstream: Socket) => void): Promise<Proxy> {
  const target = new URL(server);
  const sockets = new Set<Socket>();
  const track = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // Either end may be killed by a test.
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const listener = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    track(client, upstream);
    track(upstream, client);
    join(client, upstream);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(server);
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
