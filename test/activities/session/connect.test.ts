import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Deadline } from '../../../activities/deadline.js';
import { connect, NeverOpened, NodeRefusal } from '../../../activities/session/index.js';

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      for (const socket of sockets.splice(0)) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

/** A node that answers every dial with this status; 0 never answers. Playwright's own texts are what is classified. */
async function dial(status: number, ms = 5_000): Promise<unknown> {
  const server = createServer();
  servers.push(server);
  server.on('connection', (socket) => sockets.push(socket));
  server.on('upgrade', (_, socket) => {
    socket.on('error', () => socket.destroy());
    if (status > 0) socket.end(`HTTP/1.1 ${String(status)} X\r\nContent-Length: 0\r\n\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return await dialPort((server.address() as AddressInfo).port, ms);
}

async function dialPort(port: number, ms: number): Promise<unknown> {
  const connection = {
    node: 'n',
    endpoint: `ws://127.0.0.1:${String(port)}/chromium`,
    token: null,
    headers: {},
    hash: '',
  };
  const deadline = Deadline.after(ms, 'connect_timeout');
  try {
    return await connect(deadline, connection, `${connection.endpoint}?token=s3cret`);
  } catch (error) {
    return error;
  } finally {
    deadline.stop();
  }
}

test.each([429, 503])('A14: a node that answers %i refuses for capacity', async (status) => {
  const error = await dial(status);
  expect(error).toBeInstanceOf(NodeRefusal);
  expect(error).toMatchObject({ status });
});

test.each([401, 403])('a node that answers %i has another token', async (status) => {
  expect(await dial(status)).toMatchObject({ code: 'node_auth_failed' });
});

test.each([
  [404, true],
  [500, true],
  [409, false],
])('a node that answers %i is unavailable; that no session was opened is %s', async (status, neverOpened) => {
  const error = await dial(status);
  expect(error).toMatchObject({ code: 'browser_unavailable' });
  expect(error instanceof NeverOpened).toBe(neverOpened);
  expect(String(error)).not.toContain('s3cret');
});

test('Q40: a node that takes the connection and never answers is a connect_timeout', async () => {
  expect(await dial(0, 300)).toMatchObject({ code: 'connect_timeout' });
});

test('where nothing listens there is no session to quarantine', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  expect(await dialPort(port, 5_000)).toBeInstanceOf(NeverOpened);
});
