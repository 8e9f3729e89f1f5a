import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SIMPLE, submitGated, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
});
afterEach(() => untilIdle(world));

const artifact = { id: 'article', version: '3' };
const expiresAt = new Date(Date.UTC(2100, 0)).toISOString();

async function rendered(key: string) {
  const job = await world.darkroom.submit('page_screenshot', {
    input: { target: { ...SIMPLE.target, artifact: { ...artifact, expiresAt } } },
    workspace: 'w1',
    user: 'u1',
    key,
  });
  const outcome = await job.wait();
  return { job, result: outcome.status === 'succeeded' ? outcome.result : undefined };
}

test('a service consumes a result once; everybody later is told who was first', async () => {
  const { job, result } = await rendered('once');
  const expected = { artifact, inputDigest: job.inputDigest };
  const answers = await Promise.all(
    ['one', 'other', 'one'].map((by) => world.darkroom.job(job.id).consume({ ...expected, by })),
  );
  const first = answers.find(({ state }) => state === 'consumed');
  expect(first).toMatchObject({ result });
  expect(await job.consume({ ...expected, by: 'late' })).toEqual({ ...first, state: 'already' });
  const lines = (await world.capacity.ledger()).filter((line) => line.job === job.id && line.event === 'consumed');
  expect(lines).toHaveLength(1);
});

test('whoever expects another version is refused, and the result can still be consumed', async () => {
  const { job, result } = await rendered('version');
  const expected = { artifact, inputDigest: job.inputDigest, by: 'publisher' };
  expect(await job.consume({ ...expected, artifact: { id: 'article', version: '4' } })).toMatchObject({
    state: 'refused',
    error: { code: 'result_mismatch', layer: 'caller' },
  });
  expect(await job.consume(expected)).toEqual({ state: 'consumed', by: 'publisher', result });
});

test('a job that still runs has nothing to consume', async () => {
  const job = await submitGated(world, 'early');
  await world.gates.reached('early');
  expect(await job.consume({ artifact: null, inputDigest: '', by: 'early' })).toEqual({ state: 'none' });
  world.gates.open('early');
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
});

test('waiting that is aborted ends with the signal’s reason, and the job goes on', async () => {
  const job = await submitGated(world, 'aborted');
  await world.gates.reached('aborted');
  const stop = new AbortController();
  const waiting = job.wait({ signal: stop.signal });
  const reason = new Error('the caller hung up');
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(job.wait({ signal: stop.signal })).rejects.toBe(reason);
  await expect(job.timeline({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  world.gates.open('aborted');
  expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
});
