import { describe, expect, test } from 'vitest';
import { implementations, jobsOf, node, Scene, useDatabase, worker } from './scene.js';

const world = useDatabase();
const classes = ['interactive', 'background'] as const;

describe.each(implementations)('order of grants, in $name', ({ create }) => {
  const open = () => new Scene(create(world.pool));

  /** One slot, taken, so that everything that is asked for waits. */
  async function busy() {
    const scene = open();
    await scene.fleet({ running: 1 });
    const holder = await scene.take('holder', { workspace: 'holder', user: 'holder' });
    return { scene, holder };
  }

  test('with both classes waiting, three interactive are granted to one background', async () => {
    const { scene, holder } = await busy();
    for (let n = 0; n < 8; n += 1) {
      await scene.ask(`b${n}`, { class: 'background' });
      await scene.ask(`i${n}`);
    }
    const order = await scene.drainQueue(holder, 10);
    expect(order).toEqual(['i0', 'i1', 'i2', 'b0', 'i3', 'i4', 'i5', 'b1', 'i6', 'i7']);
  });

  test('one class alone is served without moving the cycle: nothing is saved up', async () => {
    const { scene, holder } = await busy();
    for (let n = 0; n < 6; n += 1) await scene.ask(`b${n}`, { class: 'background' });
    const [freed] = (await scene.capacity.release(holder, scene.at)).grants;
    if (freed === undefined) throw new Error('b0 is granted');
    for (let n = 0; n < 4; n += 1) await scene.ask(`i${n}`);
    expect(await scene.drainQueue(freed, 5)).toEqual(['i0', 'i1', 'i2', 'b1', 'i3']);
  });

  test('A13: a hundred background jobs do not hold up interactive ones, nor the other way round', async () => {
    const { scene, holder } = await busy();
    for (let n = 0; n < 100; n += 1) await scene.ask(`b${n}`, { class: 'background', user: `u${n % 7}` });
    let current = holder;
    const granted: string[] = [];
    for (let second = 0; second < 40; second += 1) {
      await scene.pass(1_000, 'w1');
      await scene.ask(`i${second}`, { user: `u${second % 5}` });
      const [next] = (await scene.capacity.release(current, scene.at)).grants;
      if (next === undefined) throw new Error('somebody always waits');
      granted.push(next.ticket.job.startsWith('i') ? 'interactive' : 'background');
      current = next;
    }
    expect(granted.filter((name) => name === 'interactive')).toHaveLength(30);
    expect(granted.slice(-8)).toEqual(granted.slice(0, 8));
  });

  test.each(classes)(
    'a workspace that was never served goes first, the one with the oldest request leading (%s)',
    async (name) => {
      const { scene, holder } = await busy();
      await scene.ask('a1', { class: name, workspace: 'a' });
      await scene.ask('a2', { class: name, workspace: 'a' });
      await scene.ask('b1', { class: name, workspace: 'b' });
      await scene.ask('c1', { class: name, workspace: 'c' });
      expect(await scene.drainQueue(holder, 4)).toEqual(['a1', 'b1', 'c1', 'a2']);
    },
  );

  test.each(classes)('the oldest request that is still there leads, not one that has gone (%s)', async (name) => {
    const { scene, holder } = await busy();
    await scene.ask('a1', { class: name, workspace: 'a' });
    await scene.ask('b1', { class: name, workspace: 'b' });
    await scene.ask('a2', { class: name, workspace: 'a' });
    await scene.capacity.withdraw({ job: 'a1', runId: 'run', attempt: 1 }, {}, scene.at);
    expect(await scene.drainQueue(holder, 2)).toEqual(['b1', 'a2']);
  });

  test.each(classes)(
    'workspaces take turns, the least recently served first, however many requests each has (%s)',
    async (name) => {
      const { scene, holder } = await busy();
      for (let n = 0; n < 4; n += 1) await scene.ask(`a${n}`, { class: name, workspace: 'a', user: `u${n}` });
      for (let n = 0; n < 2; n += 1) await scene.ask(`b${n}`, { class: name, workspace: 'b', user: `u${n}` });
      expect(await scene.drainQueue(holder, 6)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'a3']);
    },
  );

  test.each(classes)('users take turns within their workspace (%s)', async (name) => {
    const { scene, holder } = await busy();
    for (let n = 0; n < 3; n += 1) await scene.ask(`x${n}`, { class: name, user: 'x' });
    for (let n = 0; n < 2; n += 1) await scene.ask(`y${n}`, { class: name, user: 'y' });
    expect(await scene.drainQueue(holder, 5)).toEqual(['x0', 'y0', 'x1', 'y1', 'x2']);
  });

  test('the classes of a workspace take their turns apart', async () => {
    const { scene, holder } = await busy();
    await scene.ask('a1', { workspace: 'a', class: 'background' });
    const [first] = (await scene.capacity.release(holder, scene.at)).grants;
    if (first === undefined) throw new Error('a1 is granted');
    await scene.ask('b1', { workspace: 'b' });
    await scene.ask('a2', { workspace: 'a' });
    await scene.ask('a3', { workspace: 'a' });
    // In the interactive class neither was served yet: b's request is the older.
    expect(await scene.drainQueue(first, 3)).toEqual(['b1', 'a2', 'a3']);
  });

  test('Q14: a retry keeps its place by the submit time of the job', async () => {
    const { scene, holder } = await busy();
    await scene.ask('old');
    await scene.pass(1_000, 'w1');
    await scene.ask('young');
    const [old] = (await scene.capacity.release(holder, scene.at)).grants;
    if (old === undefined) throw new Error('old is granted');
    await scene.capacity.pause(true, scene.at);
    await scene.capacity.release(old, scene.at);
    await scene.pass(1_000, 'w1');
    await scene.ask('old', { attempt: 2 });
    expect(jobsOf(await scene.capacity.pause(false, scene.at))).toEqual(['old']);
  });

  test('the node with the highest free ratio is chosen, then the least recently used', async () => {
    const scene = open();
    await scene.limits({});
    await scene.capacity.applyNodes([node('n1', { maxSessions: 2 }), node('n2', { maxSessions: 4 })], scene.at);
    await scene.capacity.registerWorker(worker('w1'), scene.at);
    const nodes: string[] = [];
    for (const job of ['a', 'b', 'c', 'd', 'e', 'f']) nodes.push((await scene.take(job)).node);
    expect(nodes).toEqual(['n1', 'n2', 'n2', 'n1', 'n2', 'n2']);
  });

  test("a worker of the node's zone is chosen first, then by the same rule as nodes", async () => {
    const scene = open();
    await scene.limits({});
    await scene.capacity.applyNodes([node('n1', { zone: 'east' })], scene.at);
    await scene.capacity.registerWorker(worker('far', { zone: 'west', slots: 9 }), scene.at);
    await scene.capacity.registerWorker(worker('near', { zone: 'east', slots: 1 }), scene.at);
    const workers = [(await scene.take('a')).worker, (await scene.take('b')).worker];
    expect(workers).toEqual(['near', 'far']);
  });

  test('a job whose contract version no worker runs waits without blocking anyone', async () => {
    const scene = open();
    await scene.fleet();
    expect(await scene.ask('future', { contractVersion: 2 })).toMatchObject({ state: 'queued' });
    await scene.take('present');
    const registered = await scene.capacity.registerWorker(worker('w2', { contractVersions: [2] }), scene.at);
    expect(registered.grants).toMatchObject([{ ticket: { job: 'future' }, worker: 'w2' }]);
  });

  test('Q23: a user at the limit with a long queue is skipped at once', async () => {
    const scene = open();
    await scene.fleet({ running: 2, runningPerUser: 1 });
    await scene.take('held', { user: 'x' });
    const other = await scene.take('other', { user: 'y' });
    for (let n = 0; n < 60; n += 1) await scene.ask(`x${n}`, { user: 'x' });
    await scene.ask('z', { user: 'z' });
    expect(await scene.release(other)).toEqual(['z']);
  });
});
