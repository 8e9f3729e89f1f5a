import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { submitSimple } from '../support/jobs.js';
import { startWorld } from '../support/world.js';

test('a wrong node token is node_auth_failed after one attempt', async () => {
  const wrong = { token: { env: 'PATH' } };
  const world = await startWorld({ sessions: 1, node: wrong });
  try {
    const job = await submitSimple(world);
    expect(await job.wait()).toMatchObject({ status: 'failed', attempts: 1, error: { code: 'node_auth_failed' } });
  } finally {
    await world.close();
  }
});

test('a node that goes down costs both attempts, or the queue deadline once it is known to be down', async () => {
  const world = await startWorld({ sessions: 1, upkeep: { sweepMs: 250, probeMs: 60_000 } });
  try {
    await world.node.stop();
    const job = await submitSimple(world, { bounds: { queueMs: 5_000 } });
    expect(await job.wait()).toMatchObject({ status: 'failed', attempts: 2, error: { code: 'browser_unavailable' } });
  } finally {
    await world.close();
  }
});

test('a node that is known to be down is granted to nobody: the job waits until its queue deadline', async () => {
  const world = await startWorld({ sessions: 1 });
  try {
    await world.node.stop();
    await eventually(
      async () => (await world.capacity.snapshot()).nodes[0]?.health,
      (health) => health === 'down',
    );
    const job = await submitSimple(world, { bounds: { queueMs: 2_000 } });
    expect(await job.wait()).toMatchObject({ status: 'failed', error: { code: 'queue_timeout' } });
    expect((await world.capacity.ledger()).filter(({ event }) => event === 'granted')).toEqual([]);
  } finally {
    await world.close();
  }
});
