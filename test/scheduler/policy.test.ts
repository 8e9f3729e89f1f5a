import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs, defaultLeases, liteLimits, normalLimits } from '../../scheduler/index.js';

test('the back-off doubles from half a second to eight', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((refusals) => backoffMs(refusals, 0.5))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
  ]);
});

test('the back-off is spread by a fifth either way', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 10 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (refusals, random) => {
        const middle = backoffMs(refusals, 0.5);
        const delay = backoffMs(refusals, random);
        expect(delay).toBeGreaterThanOrEqual(middle * 0.8);
        expect(delay).toBeLessThanOrEqual(middle * 1.2);
      },
    ),
  );
});

test('the limits and leases are those of the design', () => {
  expect(normalLimits).toMatchObject({ running: 2, runningAgents: 1, waiting: 128, waitingPerWorkspace: 32 });
  expect(liteLimits).toMatchObject({ running: 1, runningAgents: 1, waiting: 16, waitingPerUser: 8 });
  expect(defaultLeases).toEqual({ leaseMs: 60_000, connectMs: 15_000, workerSuspectMs: 10_000 });
});
