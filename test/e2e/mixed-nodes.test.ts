import { expect, test } from 'vitest';
import { submitGated, untilIdle } from '../support/jobs.js';
import { nodeSet } from '../support/nodes.js';
import { startWorld } from '../support/world.js';

// Needs both makes of node: `npm run full -- nodes`.
test.skipIf(nodeSet() !== 'mixed')('the same page has the same pixels on either make of node', async () => {
  const world = await startWorld({ sessions: 2 });
  try {
    const jobs = [await submitGated(world, 'same'), await submitGated(world, 'same')];
    await world.gates.reached('same', 2);
    const { reservations } = await world.capacity.snapshot();
    expect(new Set(reservations.map(({ node }) => node)).size).toBe(2);
    world.gates.open('same');
    const outcomes = await Promise.all(jobs.map((job) => job.wait()));
    const digests = outcomes.map((outcome) =>
      outcome.status === 'succeeded' ? outcome.result.object.sha256 : outcome,
    );
    expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(digests[1]).toBe(digests[0]);
    await untilIdle(world);
  } finally {
    await world.close();
  }
});
