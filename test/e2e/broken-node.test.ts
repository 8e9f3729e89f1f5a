import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { runJob } from '../support/cli.js';
import { SIMPLE, submitSimple } from '../support/jobs.js';
import { startWorld } from '../support/world.js';

/** So seldom that jobs find out first. */
const unprobed = { probeMs: 60_000 };

test('a wrong node token is node_auth_failed after one attempt, exit code 1', async () => {
  const wrong = { token: { env: 'PATH' } };
  const world = await startWorld({ sessions: 1, node: wrong, upkeep: unprobed });
  try {
    expect(await runJob(world, SIMPLE)).toMatchObject({
      code: 1,
      document: { status: 'failed', attempts: 1, error: { code: 'node_auth_failed' } },
    });
  } finally {
    await world.close();
  }
});

test('a node that went down unnoticed costs both attempts, exit code 1, and nothing is quarantined where nothing listened', async () => {
  const world = await startWorld({ sessions: 1, direct: true, upkeep: unprobed });
  try {
    await world.node.stop();
    expect(await runJob(world, SIMPLE, ['--queue-ms', '5000'])).toMatchObject({
      code: 1,
      document: { status: 'failed', attempts: 2, error: { code: 'browser_unavailable' } },
    });
    expect((await world.capacity.snapshot()).reservations).toEqual([]);
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
