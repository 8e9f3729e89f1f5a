import { describe, expect, test } from 'vitest';
import { implementations, jobsOf, node, Scene, useDatabase, worker } from './scene.js';

const world = useDatabase();

describe.each(implementations)('the fleet, in $name', ({ create }) => {
  const open = () => new Scene(create(world.pool));

  async function waitingFor(setUp: (scene: Scene) => Promise<unknown>) {
    const scene = open();
    await scene.limits({});
    await setUp(scene);
    expect(await scene.ask('a')).toMatchObject({ state: 'queued' });
    return scene;
  }

  test('a node that comes up is used at once', async () => {
    const scene = await waitingFor((s) => s.capacity.registerWorker(worker('w1'), s.at));
    expect(jobsOf(await scene.capacity.applyNodes([node('n1')], scene.at))).toEqual(['a']);
  });

  test('a worker that registers is used at once', async () => {
    const scene = await waitingFor((s) => s.capacity.applyNodes([node('n1')], s.at));
    expect(jobsOf(await scene.capacity.registerWorker(worker('w1'), scene.at))).toEqual(['a']);
  });

  test.each(['suspect', 'down'] as const)('a %s node gets nothing until it is healthy again', async (health) => {
    const scene = await waitingFor(async (s) => {
      await s.fleet();
      await s.capacity.reportNodes(
        [
          { node: 'n1', health },
          { node: 'unknown', health: 'healthy' },
        ],
        s.at,
      );
    });
    expect(jobsOf(await scene.capacity.reportNodes([{ node: 'n1', health: 'healthy' }], scene.at))).toEqual(['a']);
  });

  test('a disabled node gets nothing', async () => {
    await waitingFor(async (s) => {
      await s.fleet();
      await s.capacity.applyNodes([node('n1', { enabled: false })], s.at);
    });
  });

  test('a node that left the configuration gets nothing, and goes with its last session', async () => {
    const scene = open();
    await scene.fleet();
    const grant = await scene.takeActive('a');
    await scene.capacity.applyNodes([node('n2')], scene.at);
    expect((await scene.capacity.snapshot(scene.at)).nodes).toMatchObject([
      { node: 'n1', enabled: false, draining: true, used: 1 },
      { node: 'n2', enabled: true, draining: false, used: 0 },
    ]);
    expect((await scene.take('b')).node).toBe('n2');
    await scene.release(grant);
    await scene.capacity.sweep(scene.at);
    expect((await scene.capacity.snapshot(scene.at)).nodes).toMatchObject([{ node: 'n2' }]);
  });

  test('a worker gets no grant for an entry whose hash differs from its own', async () => {
    const scene = await waitingFor(async (s) => {
      await s.capacity.applyNodes([node('n1', { hash: 'new' })], s.at);
      await s.capacity.registerWorker(worker('w1'), s.at);
    });
    const reloaded = worker('w1', { nodeHashes: { n1: 'new' } });
    expect(jobsOf(await scene.capacity.registerWorker(reloaded, scene.at))).toEqual(['a']);
  });

  test('a worker whose heartbeat is old gets nothing new, and is used again with the next one', async () => {
    const scene = open();
    await scene.fleet();
    await scene.pass(10_000);
    await scene.take('in time');
    await scene.pass(1);
    expect(await scene.ask('a')).toMatchObject({ state: 'queued' });
    expect((await scene.capacity.snapshot(scene.at)).workers).toMatchObject([
      { state: 'suspect', heartbeatAgeMs: 10_001 },
    ]);
    expect(jobsOf(await scene.capacity.renew('w1', [], scene.at))).toEqual(['a']);
  });

  test('a draining worker keeps its sessions and gets nothing new, also when it registers again', async () => {
    const scene = open();
    await scene.fleet();
    const grant = await scene.takeActive('a');
    expect(await scene.capacity.drainWorker('w1', scene.at)).toEqual({ used: 1 });
    await scene.capacity.registerWorker(worker('w1'), scene.at);
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
    expect(await scene.capacity.renew('w1', [grant], scene.at)).toMatchObject({ lost: [] });
    await scene.release(grant);
    expect(await scene.capacity.drainWorker('w1', scene.at)).toEqual({ used: 0 });
    expect(await scene.capacity.drainWorker('unknown', scene.at)).toEqual({ used: 0 });
  });

  test('quarantined sessions no longer count against a worker that is known dead', async () => {
    const scene = open();
    await scene.fleet();
    await scene.capacity.quarantine(await scene.takeActive('a'), 'worker_lost', scene.at);
    expect((await scene.capacity.snapshot(scene.at)).workers).toMatchObject([{ state: 'live', used: 1 }]);
    await scene.capacity.removeWorker('w1', scene.at);
    expect((await scene.capacity.snapshot(scene.at)).workers).toMatchObject([{ state: 'dead', used: 0 }]);
    expect(await scene.running()).toBe(1);
  });

  test('a pause stops grants and nothing else; a resume catches up', async () => {
    const scene = open();
    await scene.fleet();
    const grant = await scene.takeActive('a');
    await scene.capacity.pause(true, scene.at);
    expect(await scene.ask('b')).toMatchObject({ state: 'queued' });
    expect(await scene.release(grant)).toEqual([]);
    expect((await scene.capacity.snapshot(scene.at)).paused).toBe(true);
    expect(jobsOf(await scene.capacity.pause(false, scene.at))).toEqual(['b']);
  });

  test('a snapshot shows limits, queue, nodes, workers and reservations', async () => {
    const scene = open();
    await scene.fleet({ running: 1 });
    const grant = await scene.take('a');
    await scene.ask('b', { class: 'background' });
    await scene.pass(250);
    expect(await scene.capacity.snapshot(scene.at)).toMatchObject({
      limits: { running: 1 },
      running: 1,
      waiting: { interactive: 0, background: 1 },
      oldestWaitMs: 250,
      paused: false,
      nodes: [{ ...node('n1'), health: 'healthy', used: 1, quarantined: 0, draining: false }],
      workers: [{ worker: 'w1', slots: 100, used: 1, state: 'live', heartbeatAgeMs: 250 }],
      reservations: [{ reservation: grant.reservation, job: 'a', state: 'granted', ageMs: 250, reason: null }],
    });
  });
});
