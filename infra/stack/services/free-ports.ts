import { createServer, type Server } from 'node:net';
import { ServiceError } from './service.js';

const ATTEMPTS = 5;

/**
 * Starts a program that cannot take port 0 on ports that were free a moment ago. Another process may take one in
 * between; such a clash is told from the program's log and tried again with other ports.
 */
export async function onFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      if (attempt === ATTEMPTS || !isPortClash(error)) throw error;
    }
  }
}

function isPortClash(error: unknown): boolean {
  return error instanceof ServiceError && /address already in use|EADDRINUSE/i.test(error.logTail);
}

/** All are held at the same time, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen()));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
