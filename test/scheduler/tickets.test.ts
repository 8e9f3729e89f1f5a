import { describe, expect, test } from 'vitest';
import { implementations, jobsOf, Scene, useDatabase } from './scene.js';

const world = useDatabase();
const ticket = (job: string, attempt = 1, runId = 'run') => ({ job, runId, attempt });

describe.each(implementations)('tickets, in $name', ({ create }) => {
  const open = () => new Scene(create(world.pool));

  async function oneSlot() {
    const scene = open();
    await scene.fleet({ running: 1 });
    return scene;
  }

  test('asking again tells the present state and changes nothing', async () => {
    const scene = await oneSlot();
    const first = await scene.take('a');
    expect(await scene.take('a')).toEqual(first);
    await scene.ask('b');
    await scene.pass(1_000, 'w1');
    expect(await scene.ask('b')).toEqual({ state: 'queued', position: 1, remainingMs: 59_000, grants: [] });
    await scene.release(first);
    expect(await scene.ask('a')).toEqual({
      state: 'ended',
      last: { reservation: first.reservation, generation: 1 },
      grants: [],
    });
  });

  test('a position counts those of the class who came before', async () => {
    const scene = await oneSlot();
    await scene.take('a');
    await scene.ask('b');
    await scene.ask('c', { class: 'background' });
    expect(await scene.ask('d')).toMatchObject({ position: 2 });
  });

  test('a job with a result answers with it', async () => {
    const scene = await oneSlot();
    const grant = await scene.takeActive('a');
    await scene.capacity.commit({ ...grant, job: 'a', attempt: 1, result: { width: 1 } }, scene.at);
    await scene.release(grant);
    expect(await scene.ask('a', { runId: 'another' })).toMatchObject({
      state: 'done',
      result: { job: 'a', attempt: 1, kind: 'page_screenshot', result: { width: 1 } },
    });
  });

  test('the same job with another input is refused', async () => {
    const scene = await oneSlot();
    await scene.take('a');
    expect(await scene.ask('a', { inputDigest: 'another' })).toMatchObject({ code: 'idempotency_conflict' });
  });

  test('Q4: a request cancelled before it arrives stays withdrawn', async () => {
    const scene = await oneSlot();
    expect(await scene.capacity.withdraw(ticket('a'), {}, scene.at)).toEqual({ state: 'withdrawn', grants: [] });
    expect(await scene.ask('a')).toEqual({ state: 'withdrawn', grants: [] });
    expect(await scene.running()).toBe(0);
  });

  test('Q4: a waiting request that is cancelled leaves neither ticket nor lease', async () => {
    const scene = await oneSlot();
    const first = await scene.take('a');
    await scene.ask('b');
    expect(await scene.capacity.withdraw(ticket('b'), {}, scene.at)).toMatchObject({ state: 'withdrawn' });
    expect(await scene.ask('b')).toMatchObject({ state: 'withdrawn' });
    expect(await scene.release(first)).toEqual([]);
    expect((await scene.capacity.snapshot(scene.at)).waiting).toEqual({ interactive: 0, background: 0 });
  });

  test('Q4: a grant that was not delivered is freed by the cancel and goes to the next', async () => {
    const scene = await oneSlot();
    const first = await scene.take('a');
    await scene.ask('b');
    await scene.ask('c');
    expect(await scene.release(first)).toEqual(['b']);
    const withdrawn = await scene.capacity.withdraw(ticket('b'), {}, scene.at);
    expect(withdrawn).toMatchObject({ state: 'withdrawn' });
    expect(jobsOf(withdrawn)).toEqual(['c']);
    expect(await scene.ask('b')).toMatchObject({ state: 'withdrawn' });
  });

  test('a withdraw that keeps the grant answers with it', async () => {
    const scene = await oneSlot();
    const grant = await scene.take('a');
    expect(await scene.capacity.withdraw(ticket('a'), { keepGrant: true }, scene.at)).toMatchObject({
      state: 'granted',
      grant,
    });
    expect(await scene.running()).toBe(1);
  });

  test('Q4: a withdraw names an active session, which must be closed instead', async () => {
    const scene = await oneSlot();
    const grant = await scene.takeActive('a');
    expect(await scene.capacity.withdraw(ticket('a'), {}, scene.at)).toMatchObject({ state: 'active', grant });
    await scene.release(grant);
    expect(await scene.capacity.withdraw(ticket('a'), {}, scene.at)).toMatchObject({ state: 'ended' });
  });

  test('a requeue that arrives after the withdraw does not bring the ticket back', async () => {
    const scene = await oneSlot();
    const grant = await scene.takeActive('a');
    await scene.release(grant);
    await scene.capacity.withdraw(ticket('a'), {}, scene.at);
    expect(await scene.capacity.requeue(grant, 'stale', 0, scene.at)).toEqual({
      requeued: false,
      answer: { state: 'withdrawn' },
      grants: [],
    });
  });

  test('Q17: another run of the job takes over: what waited goes, a grant is freed, a session is quarantined', async () => {
    const scene = open();
    await scene.fleet();
    await scene.take('granted');
    const next = await scene.ask('granted', { runId: 'reset' });
    expect(next).toMatchObject({ state: 'granted', grant: { generation: 2, ticket: { runId: 'reset' } } });
    expect(await scene.ask('granted')).toMatchObject({ state: 'withdrawn' });
    await scene.takeActive('active');
    await scene.take('active', { runId: 'reset' });
    const { reservations } = await scene.capacity.snapshot(scene.at);
    expect(reservations.map(({ job, state, reason }) => [job, state, reason])).toEqual([
      ['granted', 'granted', null],
      ['active', 'quarantined', 'superseded'],
      ['active', 'granted', null],
    ]);
  });

  test('Q17: a run that was superseded never takes the job back', async () => {
    const scene = open();
    await scene.fleet();
    await scene.take('a');
    const current = await scene.take('a', { runId: 'reset' });
    expect(await scene.ask('a', { attempt: 2 })).toMatchObject({ state: 'withdrawn' });
    expect(await scene.take('a', { runId: 'reset' })).toEqual(current);
  });

  test('Q30: a later attempt replaces the earlier one, and has the higher generation', async () => {
    const scene = open();
    await scene.fleet();
    const first = await scene.takeActive('a');
    await scene.capacity.quarantine(first, 'connection_lost', scene.at);
    const second = await scene.take('a', { attempt: 2 });
    expect(second.generation).toBe(2);
    expect(await scene.ask('a')).toMatchObject({ state: 'withdrawn' });
  });

  test('the queue deadline of a retry begins when the own quarantined session is gone', async () => {
    const scene = await oneSlot();
    const first = await scene.takeActive('a');
    await scene.capacity.quarantine(first, 'worker_lost', scene.at);
    await scene.ask('a', { attempt: 2 });
    await scene.capacity.pause(true, scene.at);
    await scene.pass(70_000, 'w1');
    expect((await scene.capacity.sweep(scene.at)).expiredRequests).toEqual([]);
    expect(await scene.ask('a', { attempt: 2 })).toMatchObject({ remainingMs: null });
    await scene.capacity.confirmGone(first.reservation, {}, scene.at);
    await scene.pass(10_000, 'w1');
    expect(await scene.ask('a', { attempt: 2 })).toMatchObject({ remainingMs: 50_000 });
  });

  test('the queue deadline of a requeued session begins anew when that session is gone', async () => {
    const scene = await oneSlot();
    const lost = await scene.takeActive('a');
    await scene.pass(10_000, 'w1');
    const { answer } = await scene.capacity.requeue(lost, 'worker_missing', 0, scene.at);
    expect(answer).toEqual({ state: 'queued', position: 1, remainingMs: null });
    await scene.capacity.pause(true, scene.at);
    await scene.pass(120_000, 'w1');
    expect((await scene.capacity.sweep(scene.at)).expiredRequests).toEqual([]);
    await scene.capacity.confirmGone(lost.reservation, {}, scene.at);
    expect(await scene.ask('a')).toMatchObject({ state: 'queued', remainingMs: 60_000 });
  });

  test('a refused job waits at its place until its back-off is over, and the node cools down', async () => {
    const scene = await oneSlot();
    const grant = await scene.take('a');
    await scene.pass(1_000, 'w1');
    const refused = await scene.capacity.requeue(grant, 'refused', 2_000, scene.at);
    expect(refused).toMatchObject({ requeued: true, answer: { state: 'queued', remainingMs: 59_000 } });
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
    await scene.pass(1_999, 'w1');
    expect(jobsOf(await scene.capacity.sweep(scene.at))).toEqual([]);
    await scene.pass(1);
    const { grants } = await scene.capacity.sweep(scene.at);
    expect(grants).toMatchObject([{ ticket: { job: 'a' }, generation: 2, refusals: 1, waitedMs: 3_000 }]);
  });

  test('a job in its back-off is skipped without blocking its user', async () => {
    const scene = await oneSlot();
    const grant = await scene.take('a');
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
    const { answer, grants } = await scene.capacity.requeue(grant, 'stale', 5_000, scene.at);
    expect(answer).toMatchObject({ state: 'queued' });
    expect(grants.map((next) => next.ticket.job)).toEqual(['b']);
  });

  test('a job whose worker was missing is due at once, and may be granted in the same call', async () => {
    const scene = await oneSlot();
    const grant = await scene.take('a');
    const { requeued, answer, grants } = await scene.capacity.requeue(grant, 'worker_missing', 0, scene.at);
    expect(requeued).toBe(true);
    expect(answer).toMatchObject({ state: 'granted', grant: { generation: 2, refusals: 0 } });
    expect(grants).toEqual([]);
  });

  test('a requeue repeated, or of an older generation, changes nothing and tells the present state', async () => {
    const scene = await oneSlot();
    const first = await scene.take('a');
    const { answer } = await scene.capacity.requeue(first, 'worker_missing', 0, scene.at);
    const again = await scene.capacity.requeue(first, 'worker_missing', 0, scene.at);
    expect(again).toEqual({ requeued: false, answer, grants: [] });
  });

  test('a requeue brings back a ticket whose grant had ended, and leaves a quarantined one in quarantine', async () => {
    const scene = open();
    await scene.fleet();
    const freed = await scene.take('freed');
    await scene.release(freed);
    expect(await scene.capacity.requeue(freed, 'stale', 0, scene.at)).toMatchObject({ answer: { state: 'granted' } });
    const lost = await scene.takeActive('lost');
    await scene.capacity.quarantine(lost, 'worker_lost', scene.at);
    expect(await scene.capacity.requeue(lost, 'stale', 0, scene.at)).toMatchObject({
      requeued: true,
      answer: { state: 'granted', grant: { generation: 2 } },
    });
    expect(await scene.running()).toBe(3);
  });

  test('a request past its deadline is removed a grace later, and answers withdrawn', async () => {
    const scene = await oneSlot();
    await scene.takeActive('a');
    await scene.ask('b', { queueMs: 1_000 });
    await scene.pass(1_000 + 14_999, 'w1');
    expect((await scene.capacity.sweep(scene.at)).expiredRequests).toEqual([]);
    await scene.pass(1);
    expect((await scene.capacity.sweep(scene.at)).expiredRequests).toEqual([ticket('b')]);
    expect(await scene.ask('b', { queueMs: 1_000 })).toMatchObject({ state: 'withdrawn' });
  });
});
