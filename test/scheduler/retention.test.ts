import { beforeAll, describe, expect, test } from 'vitest';
import { createCapacity, createRetention, defaultRetention, type RetentionStore } from '../../scheduler/index.js';
import { findDrift } from './drift.js';
import { implementations, Scene, useDatabase } from './scene.js';

const world = useDatabase();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const expected = { by: 'publisher', artifact: null, inputDigest: 'digest' };

async function committed(scene: Scene, job: string) {
  const grant = await scene.takeActive(job);
  await scene.capacity.commit({ ...grant, job, attempt: 1, result: { of: job } }, scene.at);
  await scene.capacity.release(grant, scene.at);
  return grant;
}

describe.each(implementations)('$name', ({ create }) => {
  async function fleet(): Promise<Scene> {
    const scene = new Scene(create(world.pool));
    await scene.fleet();
    return scene;
  }

  test('a result that nobody consumed is handed over for a day, and then neither consumed nor rendered again', async () => {
    const scene = await fleet();
    await committed(scene, 'a');
    await scene.pass(DAY - 1, 'w1');
    expect(await scene.ask('a', { runId: 'later' })).toMatchObject({ state: 'done', result: { result: { of: 'a' } } });
    await scene.pass(1, 'w1');
    const refused = { state: 'refused', code: 'result_expired' };
    expect(await scene.ask('a', { runId: 'latest' })).toMatchObject(refused);
    expect(await scene.capacity.consume({ ...expected, job: 'a' }, scene.at)).toEqual(refused);
  });

  test('a consumed result is handed over again for an hour, however late it was consumed', async () => {
    const scene = await fleet();
    await committed(scene, 'early');
    await committed(scene, 'late');
    await scene.capacity.consume({ ...expected, job: 'early' }, scene.at);
    await scene.pass(HOUR - 1, 'w1');
    expect(await scene.capacity.consume({ ...expected, job: 'early' }, scene.at)).toMatchObject({ state: 'already' });
    await scene.pass(1, 'w1');
    expect(await scene.capacity.consume({ ...expected, job: 'early' }, scene.at)).toMatchObject({ state: 'refused' });
    await scene.pass(DAY - HOUR - 1, 'w1');
    expect(await scene.capacity.consume({ ...expected, job: 'late' }, scene.at)).toMatchObject({ state: 'consumed' });
    await scene.pass(1, 'w1');
    // Consuming does not lengthen its time.
    expect(await scene.capacity.consume({ ...expected, job: 'late' }, scene.at)).toMatchObject({ state: 'refused' });
  });
});

describe('what is kept in Postgres', () => {
  let retention: RetentionStore;
  beforeAll(() => {
    retention = createRetention(world.pool);
  });
  const summary = { objects: [{ sha256: 'ab', bytes: 3, contentType: 'image/png' }] };

  async function fleet(): Promise<Scene> {
    const scene = new Scene(createCapacity(world.pool));
    await scene.fleet();
    return scene;
  }

  test('an expired result is named with its folder until it is cleared; then its summary is left', async () => {
    const scene = await fleet();
    const { reservation } = await committed(scene, 'a');
    await scene.pass(DAY, 'w1');
    const folder = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
    const due = [{ job: 'a', folder, reservation, result: { of: 'a' } }];
    expect(await retention.expired(10, scene.at)).toEqual(due);
    expect(await retention.clear([{ job: 'a', summary }], 'expired', scene.at)).toBe(1);
    expect(await retention.clear([{ job: 'a', summary }], 'expired', scene.at)).toBe(0);
    expect(await retention.expired(10, scene.at)).toEqual([]);
    expect(await scene.capacity.result('a')).toBeNull();
    const lines = (await scene.capacity.ledger()).filter(({ event }) => event === 'cleared');
    expect(lines).toMatchObject([{ job: 'a', reason: 'expired' }]);
    const { rows } = await world.pool.query('select result, summary from darkroom.result');
    expect(rows).toEqual([{ result: null, summary }]);
  });

  test('expired results come in portions, the oldest first', async () => {
    const scene = await fleet();
    for (const job of ['first', 'second', 'third']) {
      await committed(scene, job);
      await scene.pass(1, 'w1');
    }
    await scene.pass(DAY, 'w1');
    expect((await retention.expired(2, scene.at)).map(({ job }) => job)).toEqual(['first', 'second']);
  });

  test('results are found by the range of their folders, as far as they were there before a listing', async () => {
    const scene = await fleet();
    for (const job of ['a', 'b', 'c']) await committed(scene, job);
    const later = new Date(scene.at.getTime() + 1);
    const jobs = async (after: string, until: string | null, before: Date): Promise<readonly string[]> =>
      (await retention.kept(after, until, before, scene.at)).map(({ job }) => job);
    // By folder: c 2e7d…, b 3e23…, a ca97….
    expect(await jobs('', null, later)).toEqual(['c', 'b', 'a']);
    expect(await jobs('2f', '40', later)).toEqual(['b']);
    expect(await jobs('', null, scene.at)).toEqual([]);
    await scene.pass(DAY, 'w1');
    // Their objects may be on their way out already.
    expect(await jobs('', null, scene.at)).toEqual([]);
  });

  test('uploads are kept while they are of a session, a result or a day’s evidence, and orphans afterwards', async () => {
    const scene = await fleet();
    const lost = await scene.takeActive('a');
    await scene.capacity.release(lost, scene.at);
    const failed = await scene.takeActive('failed');
    await scene.capacity.release(failed, scene.at);
    const again = await scene.takeActive('a', { attempt: 2 });
    const fates = (): Promise<unknown> =>
      retention.uploads(
        [lost, again, failed, { reservation: 'unknown' }].map((r) => r.reservation),
        scene.at,
      );
    const kept = { [lost.reservation]: 'kept', [again.reservation]: 'kept', [failed.reservation]: 'kept' };
    expect(await fates()).toEqual(kept);
    await scene.capacity.commit({ ...again, job: 'a', attempt: 2, result: {} }, scene.at);
    await scene.capacity.release(again, scene.at);
    expect(await fates()).toEqual({ ...kept, [lost.reservation]: 'orphan' });
    await scene.pass(DAY, 'w1');
    const late = { ...kept, [lost.reservation]: 'orphan', [failed.reservation]: 'orphan' };
    expect(await fates()).toEqual(late);
    await retention.clear([{ job: 'a', summary }], 'expired', scene.at);
    expect(await fates()).toEqual({ ...late, [again.reservation]: 'orphan' });
  });

  test('after thirty days a job is forgotten with all that is left of it, and its key starts anew', async () => {
    const scene = await fleet();
    await committed(scene, 'a');
    await scene.capacity.withdraw({ job: 'never came', runId: 'run', attempt: 1 }, {}, scene.at);
    await scene.pass(30 * DAY, 'w1');
    // Its objects are still there.
    expect(await retention.forget(10, scene.at)).toMatchObject({ jobs: 0, reservations: 1, tombstones: 1 });
    await retention.clear([{ job: 'a', summary }], 'expired', scene.at);
    expect(await scene.ask('a', { runId: 'other' })).toMatchObject({ state: 'refused', code: 'result_expired' });
    expect(await retention.forget(10, scene.at)).toMatchObject({ jobs: 1, ledger: 0 });
    for (const table of ['job', 'request', 'reservation', 'result', 'tombstone']) {
      expect((await world.pool.query(`select from darkroom.${table}`)).rowCount).toBe(0);
    }
    expect(await findDrift(world.pool)).toEqual([]);
    expect(await scene.ask('a', { runId: 'new' })).toMatchObject({ state: 'granted' });
  });

  test('a job that waits, runs or is in quarantine is never forgotten', async () => {
    const scene = await fleet();
    await scene.limits({ running: 2 });
    await scene.takeActive('runs');
    await scene.capacity.quarantine(await scene.takeActive('quarantined'), 'worker_lost', scene.at);
    expect(await scene.ask('waits')).toMatchObject({ state: 'queued' });
    await scene.pass(40 * DAY, 'w1');
    expect(await retention.forget(10, scene.at)).toMatchObject({ jobs: 0, reservations: 0 });
  });

  test('lines of the ledger go after ninety days, and no sooner by anybody', async () => {
    const scene = await fleet();
    await committed(scene, 'a');
    const old = `update darkroom.ledger set reason = 'x'`;
    await expect(world.pool.query(old)).rejects.toThrow('append only');
    await expect(world.pool.query('delete from darkroom.ledger')).rejects.toThrow('append only');
    const lines = (await scene.capacity.ledger()).length;
    await retention.apply({ resultMs: 1, consumedMs: 0, summaryMs: 1, ledgerMs: 1 });
    expect(await retention.forget(2)).toMatchObject({ ledger: 2 });
    expect(await retention.forget(100)).toMatchObject({ ledger: lines - 2 });
  });

  test('tickets that wait or hold capacity for long are named, the oldest first', async () => {
    const scene = await fleet();
    await scene.limits({ running: 1 });
    const held = await scene.take('held');
    await scene.pass(10, 'w1');
    await scene.ask('waits');
    const jobs = async (olderMs: number): Promise<readonly string[]> =>
      (await retention.openTickets(olderMs, 10, scene.at)).map(({ job }) => job);
    expect(await jobs(0)).toEqual(['held', 'waits']);
    expect(await jobs(10)).toEqual(['held']);
    await scene.capacity.release(held, scene.at);
    expect(await jobs(10)).toEqual([]);
    expect(await retention.openTickets(0, 10, scene.at)).toEqual([{ job: 'waits', runId: 'run', attempt: 1 }]);
  });

  test('the times that an operator sets are applied to results from then on', async () => {
    const scene = await fleet();
    await committed(scene, 'before');
    await retention.apply({ ...defaultRetention, resultMs: HOUR });
    await committed(scene, 'after');
    await scene.pass(HOUR, 'w1');
    expect((await retention.expired(10, scene.at)).map(({ job }) => job)).toEqual(['after']);
  });
});
