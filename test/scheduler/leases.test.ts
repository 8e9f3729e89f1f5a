import { describe, expect, test } from 'vitest';
import { implementations, jobsOf, node, Scene, useDatabase, worker } from './scene.js';

const world = useDatabase();

describe.each(implementations)('leases, in $name', ({ create }) => {
  const open = () => new Scene(create(world.pool));

  async function wide() {
    const scene = open();
    await scene.fleet();
    return scene;
  }

  async function oneSlot() {
    const scene = open();
    await scene.fleet({ running: 1 });
    return scene;
  }

  test('activation is the same answer for its nonce, and stale for another or an old generation', async () => {
    const scene = await wide();
    const grant = await scene.take('a');
    const active = { state: 'active', sessionMs: 930_000 };
    expect(await scene.capacity.activate(grant, 'mine', scene.at)).toEqual(active);
    expect(await scene.capacity.activate(grant, 'mine', scene.at)).toEqual(active);
    expect(await scene.capacity.activate(grant, 'yours', scene.at)).toEqual({ state: 'stale' });
    const old = { ...grant, generation: 0 };
    expect(await scene.capacity.activate(old, 'mine', scene.at)).toEqual({ state: 'stale' });
  });

  test('a session attached at the end of its connect time still ends by the hard expiry', async () => {
    const scene = await wide();
    const grant = await scene.takeActive('a');
    await scene.pass(5_000);
    const activation = await scene.capacity.activate(grant, 'nonce', scene.at);
    expect(activation).toEqual({ state: 'active', sessionMs: 925_000 });
    await scene.pass(15_000 + 925_000 - 1);
    await scene.capacity.quarantine(grant, 'close_unconfirmed', scene.at);
    expect((await scene.capacity.sweep(scene.at)).quarantined).toMatchObject([{ hardExpiryInMs: 1 }]);
  });

  test.each([
    ['worker_missing', 'worker_lost'],
    ['stale', 'superseded'],
  ] as const)('an active reservation requeued as %s is quarantined as %s', async (reason, because) => {
    const scene = await oneSlot();
    const grant = await scene.takeActive('a');
    const { requeued, answer } = await scene.capacity.requeue(grant, reason, 0, scene.at);
    expect([requeued, answer]).toEqual([true, { state: 'queued', position: 1, remainingMs: null }]);
    const { reservations } = await scene.capacity.snapshot(scene.at);
    expect(reservations).toMatchObject([{ job: 'a', state: 'quarantined', reason: because }]);
    const gone = await scene.capacity.confirmGone(grant.reservation, { barred: true }, scene.at);
    expect(gone).toMatchObject({
      freed: true,
      lost: [],
      grants: [{ generation: 2, ticket: { job: 'a', attempt: 1 } }],
    });
  });

  test('an active reservation that its node refused, and a grant never activated, are freed by a requeue', async () => {
    const scene = await wide();
    await scene.capacity.requeue(await scene.take('missing'), 'worker_missing', 1_000, scene.at);
    await scene.capacity.requeue(await scene.take('stale'), 'stale', 1_000, scene.at);
    await scene.capacity.requeue(await scene.takeActive('refused'), 'refused', 1_000, scene.at);
    expect(await scene.running()).toBe(0);
  });

  test('a grant that was never activated is freed instead of quarantined, and the next gets it', async () => {
    const scene = await oneSlot();
    const grant = await scene.take('a');
    await scene.ask('b');
    const { quarantined, grants } = await scene.capacity.quarantine(grant, 'worker_lost', scene.at);
    expect([quarantined, grants.map(({ ticket }) => ticket.job)]).toEqual([false, ['b']]);
    expect(await scene.capacity.activate(grant, 'late', scene.at)).toEqual({ state: 'stale' });
  });

  test('a result is written once, by the reservation that holds the job', async () => {
    const scene = await wide();
    const grant = await scene.takeActive('a');
    const mine = { ...grant, job: 'a', attempt: 1, result: { bytes: 7, text: 'nul \u0000' } };
    const result = {
      job: 'a',
      attempt: 1,
      kind: 'page_screenshot',
      reservation: grant.reservation,
      result: mine.result,
    };
    expect(await scene.capacity.commit({ ...mine, worker: 'w2' }, scene.at)).toEqual({ state: 'stale' });
    expect(await scene.capacity.commit({ ...mine, attempt: 2 }, scene.at)).toEqual({ state: 'stale' });
    expect(await scene.capacity.commit({ ...mine, generation: 2 }, scene.at)).toEqual({ state: 'stale' });
    expect(await scene.capacity.commit(mine, scene.at)).toEqual({ state: 'committed', result });
    expect(await scene.capacity.commit({ ...mine, result: {} }, scene.at)).toEqual({ state: 'already', result });
    expect(await scene.capacity.result('a')).toEqual(result);
    expect(await scene.capacity.result('b')).toBeNull();
  });

  test.each(['granted', 'quarantined', 'released', 'superseded'])('a %s reservation commits nothing', async (how) => {
    const scene = await wide();
    const grant = how === 'granted' ? await scene.take('a') : await scene.takeActive('a');
    if (how === 'quarantined') await scene.capacity.quarantine(grant, 'worker_lost', scene.at);
    if (how === 'released') await scene.release(grant);
    if (how === 'superseded') await scene.take('a', { runId: 'reset' });
    const commit = { ...grant, job: 'a', attempt: 1, result: {} };
    expect(await scene.capacity.commit(commit, scene.at)).toEqual({ state: 'stale' });
    expect(await scene.capacity.result('a')).toBeNull();
  });

  test('a renewal extends the leases of the worker and names those that are lost', async () => {
    const scene = await wide();
    const [kept, released] = [await scene.takeActive('a'), await scene.takeActive('b')];
    await scene.release(released);
    await scene.pass(50_000);
    const { lost, registered } = await scene.capacity.renew('w1', [kept, released], scene.at);
    expect([lost, registered]).toEqual([[{ reservation: released.reservation, generation: 1 }], true]);
    await scene.pass(50_000);
    expect((await scene.capacity.sweep(scene.at)).lost).toEqual([]);
  });

  test('a worker renews nothing that another one holds, and learns that it is not registered', async () => {
    const scene = await wide();
    const grant = await scene.takeActive('a');
    const renewed = await scene.capacity.renew('stranger', [grant], scene.at);
    expect(renewed).toMatchObject({ registered: false, lost: [{ reservation: grant.reservation }] });
  });

  test('a release frees once, whatever state the reservation is in', async () => {
    const scene = await wide();
    const grants = [await scene.take('a'), await scene.takeActive('b'), await scene.takeActive('c')];
    if (grants[2] !== undefined) await scene.capacity.quarantine(grants[2], 'shutdown', scene.at);
    for (const grant of grants) {
      expect(await scene.capacity.release({ ...grant, generation: 9 }, scene.at)).toEqual({
        released: false,
        grants: [],
      });
      expect(await scene.capacity.release(grant, scene.at)).toEqual({ released: true, grants: [] });
      expect(await scene.capacity.release(grant, scene.at)).toEqual({ released: false, grants: [] });
    }
    expect(await scene.running()).toBe(0);
  });

  test('Q6: a grant that nobody picks up is freed when its lease runs out, and the next gets it', async () => {
    const scene = await oneSlot();
    const grant = await scene.take('a');
    await scene.ask('b', { queueMs: 120_000 });
    await scene.pass(60_000, 'w1');
    const swept = await scene.capacity.sweep(scene.at);
    expect(swept.freed).toEqual([{ reservation: grant.reservation, generation: 1 }]);
    expect(jobsOf(swept)).toEqual(['b']);
    expect(await scene.ask('a')).toMatchObject({ state: 'ended' });
  });

  test('Q8: the sessions of a worker that died are quarantined after the lease and free once confirmed gone', async () => {
    const scene = open();
    await scene.fleet({ running: 2 });
    const held = [await scene.takeActive('a'), await scene.takeActive('b')];
    await scene.ask('c', { queueMs: 120_000 });
    await scene.pass(60_000);
    await scene.capacity.registerWorker(worker('w2'), scene.at);
    const swept = await scene.capacity.sweep(scene.at);
    expect(swept.lost.map((grant) => grant.ticket.job)).toEqual(['a', 'b']);
    expect(swept.quarantined).toMatchObject([{ reason: 'lease_expired', ageMs: 0 }, { reason: 'lease_expired' }]);
    expect(swept.grants).toEqual([]);
    expect((await scene.capacity.sweep(scene.at)).lost).toEqual([]);
    const freed = await scene.capacity.confirmGone(held[0]?.reservation ?? '', {}, scene.at);
    expect(freed).toMatchObject({ freed: true, lost: [], grants: [{ ticket: { job: 'c' }, worker: 'w2' }] });
  });

  test('Q10: a lease that ran out fences the first attempt, and the second has a reservation of its own', async () => {
    const scene = open();
    await scene.fleet({ runningPerUser: 1 });
    const first = await scene.takeActive('a');
    await scene.pass(60_000, 'w1');
    await scene.capacity.sweep(scene.at);
    expect(await scene.ask('a', { attempt: 2 })).toMatchObject({ state: 'queued' });
    const late = { ...first, job: 'a', attempt: 1, result: {} };
    expect(await scene.capacity.commit(late, scene.at)).toEqual({ state: 'stale' });
    const { grants } = await scene.capacity.confirmGone(first.reservation, {}, scene.at);
    expect(grants).toMatchObject([{ generation: 2, ticket: { attempt: 2 } }]);
  });

  test('the hard expiry frees whatever nobody confirmed', async () => {
    const scene = await oneSlot();
    const grant = await scene.takeActive('a');
    await scene.capacity.quarantine(grant, 'close_unconfirmed', scene.at);
    await scene.pass(945_000 - 1);
    const before = await scene.capacity.sweep(scene.at);
    expect(before.quarantined).toMatchObject([{ ageMs: 944_999, hardExpiryInMs: 1 }]);
    await scene.pass(1);
    const swept = await scene.capacity.sweep(scene.at);
    expect(swept.freed).toEqual([{ reservation: grant.reservation, generation: 1 }]);
    expect(await scene.running()).toBe(0);
  });

  test('a session that the node no longer has is freed once nobody can be dialling any more', async () => {
    const scene = await wide();
    const grant = await scene.takeActive('a');
    await scene.pass(14_999, 'w1');
    expect(await scene.capacity.confirmGone(grant.reservation, {}, scene.at)).toMatchObject({ freed: false });
    await scene.pass(1);
    const gone = await scene.capacity.confirmGone(grant.reservation, {}, scene.at);
    expect(gone).toMatchObject({ freed: true, lost: [{ ticket: { job: 'a' } }] });
    expect(await scene.capacity.confirmGone(grant.reservation, {}, scene.at)).toMatchObject({ freed: false, lost: [] });
  });

  test('an operator frees what is in quarantine, once, and the next gets it; what is active he cannot free', async () => {
    const scene = await oneSlot();
    const { reservation, ...rest } = await scene.takeActive('a');
    await scene.ask('b');
    expect(await scene.capacity.free(reservation, scene.at)).toEqual({ freed: false, grants: [] });
    await scene.capacity.quarantine({ reservation, ...rest }, 'close_unconfirmed', scene.at);
    expect(await scene.capacity.free(reservation, scene.at)).toMatchObject({
      freed: true,
      grants: [{ ticket: { job: 'b' } }],
    });
    expect(await scene.capacity.free(reservation, scene.at)).toEqual({ freed: false, grants: [] });
    const lines = (await scene.capacity.ledger()).filter((line) => line.reservation === reservation);
    expect(lines.at(-1)).toMatchObject({ event: 'freed', reason: 'operator' });
  });

  test('a kill that bars the id is believed at once', async () => {
    const scene = await wide();
    const grant = await scene.takeActive('a');
    const gone = await scene.capacity.confirmGone(grant.reservation, { barred: true }, scene.at);
    expect(gone).toMatchObject({ freed: true, lost: [{ ticket: { job: 'a' } }] });
  });

  test('a grant that is not active has no session to confirm', async () => {
    const scene = await wide();
    const grant = await scene.take('a');
    expect(await scene.capacity.confirmGone(grant.reservation, {}, scene.at)).toMatchObject({ freed: false });
  });

  test('a grant to another is handed back until its delivery is confirmed', async () => {
    const scene = await oneSlot();
    const first = await scene.take('a');
    await scene.ask('b');
    const { grants } = await scene.capacity.release(first, scene.at);
    expect((await scene.capacity.sweep(scene.at)).undelivered).toEqual([]);
    await scene.pass(1_000, 'w1');
    expect((await scene.capacity.sweep(scene.at)).undelivered).toEqual(grants);
    expect((await scene.capacity.sweep(scene.at)).undelivered).toEqual(grants);
    await scene.capacity.delivered(grants);
    expect((await scene.capacity.sweep(scene.at)).undelivered).toEqual([]);
  });

  test('a grant told in the answer of its own request needs no delivery', async () => {
    const scene = await wide();
    await scene.take('a');
    await scene.pass(5_000, 'w1');
    expect((await scene.capacity.sweep(scene.at)).undelivered).toEqual([]);
  });

  test('Q34: a worker that restarted is another worker; the old one ends by its leases', async () => {
    const scene = await wide();
    const old = await scene.takeActive('a');
    await scene.capacity.registerWorker(worker('w1-second-boot'), scene.at);
    await scene.capacity.removeWorker('w1', scene.at);
    const next = await scene.takeActive('b');
    expect(next.worker).toBe('w1-second-boot');
    await scene.pass(60_000);
    await scene.capacity.renew('w1-second-boot', [next], scene.at);
    const swept = await scene.capacity.sweep(scene.at);
    expect(swept.lost).toMatchObject([{ reservation: old.reservation }]);
    const { workers } = await scene.capacity.snapshot(scene.at);
    expect(workers).toMatchObject([
      { worker: 'w1', state: 'dead', used: 0 },
      { worker: 'w1-second-boot', state: 'live', used: 1 },
    ]);
    await scene.capacity.confirmGone(old.reservation, {}, scene.at);
    await scene.capacity.sweep(scene.at);
    expect((await scene.capacity.snapshot(scene.at)).workers).toHaveLength(1);
  });

  test('the ledger tells each step with its reason, in order', async () => {
    const scene = await wide();
    const grant = await scene.takeActive('a');
    await scene.capacity.quarantine(grant, 'worker_lost', scene.at);
    await scene.capacity.requeue(grant, 'stale', 0, scene.at);
    await scene.capacity.confirmGone(grant.reservation, { barred: true }, scene.at);
    const lines = await scene.capacity.ledger();
    expect(lines.map(({ event, reason }) => [event, reason])).toEqual([
      ['requested', null],
      ['granted', null],
      ['activated', null],
      ['quarantined', 'worker_lost'],
      ['requeued', 'stale'],
      ['granted', null],
      ['freed', 'confirmed_gone'],
    ]);
    expect(lines[1]).toMatchObject({
      ...{ node: 'n1', worker: 'w1', user: 'user', workspace: 'workspace' },
      attempt: 1,
    });
    expect(await scene.capacity.ledger(lines[5]?.seq)).toEqual(lines.slice(6));
  });

  test('Q18: a job that holds a slot and starts another waits for it like anybody, without a deadlock', async () => {
    const scene = await oneSlot();
    const parent = await scene.takeActive('parent');
    expect(await scene.ask('child', { queueMs: 1_000 })).toMatchObject({ state: 'queued' });
    await scene.pass(16_000, 'w1');
    await scene.capacity.renew('w1', [parent], scene.at);
    expect((await scene.capacity.sweep(scene.at)).expiredRequests).toMatchObject([{ job: 'child' }]);
    expect(await scene.running()).toBe(1);
  });

  test('a session keeps the limit of the node entry under which it was granted', async () => {
    const scene = await wide();
    const grant = await scene.take('a');
    await scene.capacity.applyNodes([node('n1', { sessionLimitMs: 1_000 })], scene.at);
    expect(await scene.capacity.activate(grant, 'nonce', scene.at)).toMatchObject({ sessionMs: 930_000 });
  });
});
