import { connect } from 'node:net';
import { processEntry } from '../../../infra/stack/processes.js';

/** True while something takes connections at the address. */
export function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

export function isAlive(pid: number): boolean {
  return processEntry(pid) !== undefined;
}
