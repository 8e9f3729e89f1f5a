import { randomBytes } from 'node:crypto';
import { Client } from 'minio';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createObjectStore, Deadline } from '../../../activities/index.js';
import { eventually } from '../../support/eventually.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';

/** Long enough for a heal that the test itself does. */
const PATIENCE_MS = 3_000;
const BYTES = Buffer.from('a picture');

let network: FaultProxy;
let store: ReturnType<typeof createObjectStore>;
let deadline: Deadline;

beforeEach(async () => {
  const { endpoint, region, accessKey, secretKey } = inject('shared').storage;
  const port = Number(new URL(endpoint).port);
  const bucket = `test-${randomBytes(6).toString('hex')}`;
  await new Client({ endPoint: '127.0.0.1', port, useSSL: false, region, accessKey, secretKey }).makeBucket(bucket);
  network = await startFaultProxy();
  network.target(port);
  const through = `http://127.0.0.1:${String(network.port)}`;
  store = createObjectStore({ endpoint: through, region, bucket, accessKey, secretKey }, PATIENCE_MS);
  deadline = Deadline.after(30_000, 'attempt_timeout');
});
afterEach(async () => {
  deadline.stop();
  await network.close();
});

test.each(['503', 'cut'] as const)(
  'an object is stored and read in spite of a store that is away: %s',
  async (fault) => {
    network.set(fault);
    const stored = store.put(deadline, 'key', BYTES, 'text/plain');
    await eventually(
      () => Promise.resolve(network.refused),
      (refused) => refused >= 2,
    );
    network.set('pass');
    expect(await stored).toMatchObject({ key: 'key', bytes: BYTES.length });
    network.set(fault);
    const read = store.get(deadline, 'key');
    await eventually(
      () => Promise.resolve(network.refused),
      (refused) => refused >= 4,
    );
    network.set('pass');
    expect(await read).toEqual(BYTES);
  },
);

test('what the store has refused is not asked again', async () => {
  await expect(store.get(deadline, 'nothing')).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(network.accepted).toBe(1);
});

test('a store that stays away fails with its answer, a deadline before that with its own code', async () => {
  network.set('503');
  const short = deadline.within(300, 'attempt_timeout');
  await expect(store.put(short, 'key', BYTES, 'text/plain')).rejects.toMatchObject({ code: 'attempt_timeout' });
  await expect(store.put(deadline, 'key', BYTES, 'text/plain')).rejects.toMatchObject({
    code: 'storage_unavailable',
    detail: expect.stringContaining('503') as unknown,
  });
});
