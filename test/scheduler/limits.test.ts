import { describe, expect, test } from 'vitest';
import { implementations, jobsOf, node, Scene, useDatabase, worker } from './scene.js';

const world = useDatabase();

describe.each(implementations)('limits, in $name', ({ create }) => {
  const open = () => new Scene(create(world.pool));

  test('what runs never exceeds the global limit', async () => {
    const scene = open();
    await scene.fleet({ running: 2 });
    const first = await scene.take('a');
    await scene.take('b', { user: 'another', workspace: 'another' });
    expect(await scene.ask('c', { user: 'third', workspace: 'third' })).toMatchObject({ state: 'queued', position: 1 });
    expect(await scene.release(first)).toEqual(['c']);
  });

  test('a user counts across all workspaces', async () => {
    const scene = open();
    await scene.fleet({ runningPerUser: 1 });
    const first = await scene.take('a', { workspace: 'one' });
    expect(await scene.ask('b', { workspace: 'two' })).toMatchObject({ state: 'queued' });
    expect(await scene.release(first)).toEqual(['b']);
  });

  test('a workspace counts all of its users', async () => {
    const scene = open();
    await scene.fleet({ runningPerWorkspace: 1 });
    await scene.take('a', { user: 'x' });
    expect(await scene.ask('b', { user: 'y' })).toMatchObject({ state: 'queued' });
  });

  test('agent runs have a limit of their own, and do not hold up pages', async () => {
    const scene = open();
    await scene.fleet({ runningAgents: 1 });
    const first = await scene.take('a', { kind: 'agent_run' });
    expect(await scene.ask('b', { kind: 'agent_run' })).toMatchObject({ state: 'queued' });
    await scene.take('c');
    expect(await scene.release(first)).toEqual(['b']);
  });

  test("a worker takes no more than its slots and the worker's limit", async () => {
    const scene = open();
    await scene.limits({ runningPerWorker: 2 });
    await scene.capacity.applyNodes([node('n1')], scene.at);
    await scene.capacity.registerWorker(worker('w1', { slots: 1 }), scene.at);
    await scene.capacity.registerWorker(worker('w2', { slots: 5 }), scene.at);
    const workers = [await scene.take('a'), await scene.take('b'), await scene.take('c')].map((grant) => grant.worker);
    expect(workers.sort()).toEqual(['w1', 'w2', 'w2']);
    expect(await scene.ask('d')).toMatchObject({ state: 'queued' });
  });

  test('a node takes no more than its sessions', async () => {
    const scene = open();
    await scene.fleet();
    await scene.capacity.applyNodes([node('n1', { maxSessions: 1 })], scene.at);
    await scene.take('a');
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
  });

  test('a quarantined reservation still counts for global, user, workspace and node', async () => {
    const scene = open();
    await scene.fleet({ running: 1 });
    const first = await scene.takeActive('a');
    await scene.capacity.quarantine(first, 'worker_lost', scene.at);
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
    expect(await scene.release(first)).toEqual(['b']);
  });

  test('a limit lowered below use stops grants and kills nothing', async () => {
    const scene = open();
    await scene.fleet();
    const [first, second] = [await scene.take('a'), await scene.take('b')];
    await scene.limits({ running: 1 });
    expect(await scene.running()).toBe(2);
    expect(await scene.ask('c')).toMatchObject({ state: 'queued' });
    expect(await scene.release(first)).toEqual([]);
    expect(await scene.release(second)).toEqual(['c']);
  });

  test('a raised limit is used at once', async () => {
    const scene = open();
    await scene.fleet({ runningPerUser: 1, runningPerWorkspace: 1 });
    await scene.take('a');
    await scene.ask('b');
    expect(jobsOf(await scene.limits({}))).toEqual(['b']);
  });

  test('A5: with one slot and one place to wait, exactly one waits and the next is refused', async () => {
    const scene = open();
    await scene.fleet({ running: 1, waiting: 1 });
    await scene.take('a');
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
    expect(await scene.ask('c')).toEqual({ state: 'refused', code: 'queue_full', grants: [] });
  });

  test('a full queue refuses by global, workspace or user limit, and says which', async () => {
    const scene = open();
    await scene.fleet({ running: 1, waiting: 3, waitingPerWorkspace: 2, waitingPerUser: 1 });
    await scene.take('holder', { user: 'holder', workspace: 'holder' });
    await scene.ask('a', { user: 'x', workspace: 'one' });
    expect(await scene.ask('b', { user: 'x', workspace: 'two' })).toMatchObject({ code: 'user_queue_full' });
    await scene.ask('c', { user: 'y', workspace: 'one' });
    expect(await scene.ask('d', { user: 'z', workspace: 'one' })).toMatchObject({ code: 'workspace_queue_full' });
    await scene.ask('e', { user: 'z', workspace: 'two' });
    expect(await scene.ask('f', { user: 'v', workspace: 'three' })).toMatchObject({ code: 'queue_full' });
  });

  test('a full queue does not refuse what can be granted at once', async () => {
    const scene = open();
    await scene.fleet({ runningPerUser: 1, waiting: 1 });
    await scene.take('a');
    await scene.ask('b');
    expect(await scene.ask('c', { user: 'another' })).toMatchObject({ state: 'granted' });
  });

  test('a refused job claims nothing: it may be asked for again', async () => {
    const scene = open();
    await scene.fleet({ running: 1, waiting: 0 });
    const first = await scene.take('a');
    expect(await scene.ask('b')).toMatchObject({ state: 'refused' });
    await scene.release(first);
    expect(await scene.ask('b', { inputDigest: 'another' })).toMatchObject({ state: 'granted' });
  });

  test('a retry is never refused for a full queue', async () => {
    const scene = open();
    await scene.fleet({ running: 1, waiting: 1 });
    const first = await scene.takeActive('a');
    await scene.ask('b');
    await scene.release(first);
    expect(await scene.ask('c')).toMatchObject({ state: 'queued' });
    expect(await scene.ask('a', { attempt: 2 })).toMatchObject({ state: 'queued' });
  });

  test('A8: a full workspace with 50 waiting does not hold up another', async () => {
    const scene = open();
    await scene.fleet({ runningPerWorkspace: 1 });
    for (let n = 0; n <= 50; n += 1) await scene.ask(`a${n}`, { workspace: 'a', user: `u${n}` });
    expect(await scene.ask('b', { workspace: 'b', user: 'u0' })).toMatchObject({ state: 'granted' });
  });

  test('Q5: a job that waits for user and workspace at once leaves nothing behind when it goes', async () => {
    const scene = open();
    await scene.fleet({ runningPerUser: 1, runningPerWorkspace: 1 });
    const first = await scene.take('a');
    await scene.ask('b');
    await scene.ask('c');
    expect(await scene.capacity.withdraw({ job: 'b', runId: 'run', attempt: 1 }, {}, scene.at)).toMatchObject({
      state: 'withdrawn',
    });
    expect(await scene.release(first)).toEqual(['c']);
  });

  test('Q3: requests of one moment are granted in the order in which they came, within every cap', async () => {
    const scene = open();
    await scene.fleet({ running: 1, waitingPerUser: 1_000 });
    const first = await scene.take('first');
    const jobs = Array.from({ length: 30 }, (_, n) => `job${n}`);
    for (const job of jobs) await scene.ask(job);
    expect(await scene.drainQueue(first, jobs.length)).toEqual(jobs);
  });
});
