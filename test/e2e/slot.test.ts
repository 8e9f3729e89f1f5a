import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killService, sessionsOf, submitGated, submitSimple, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 2 });
});
afterAll(async () => {
  await world.close();
});

/** The slots of the last render worker: its child processes. */
function slots(): number[] {
  const worker = world.renderWorkers.at(-1);
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, parent]) => (pid !== undefined && parent === worker?.pid ? [pid] : []));
}

/** The temporary folder that a slot was started with. */
function folderOf(pid: number): string {
  const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return /\S*darkroom-slots-\S+/.exec(command)?.[0] ?? expect.fail(`No folder in ${command}`);
}

test('SIGKILL of every slot: the jobs in them are tried again, new slots are started, no temporary file is left', async () => {
  const jobs = [await submitGated(world, 'slot-a'), await submitGated(world, 'slot-b')];
  await Promise.all([world.gates.reached('slot-a'), world.gates.reached('slot-b')]);
  const before = slots();
  expect(before).toHaveLength(2);
  const folders = before.map(folderOf);
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await Promise.all([world.gates.reached('slot-a', 2), world.gates.reached('slot-b', 2)]);
  world.gates.open('slot-a');
  world.gates.open('slot-b');
  for (const job of jobs) expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 2 });
  await untilIdle(world);
  expect(slots()).toHaveLength(2);
  expect(slots().some((pid) => before.includes(pid))).toBe(false);
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, false]);
});

test('C8: no file of a session is there for the next: a slot empties its folder before it and after it', async () => {
  const files = slots().map((pid) => join(folderOf(pid), 'left'));
  const leave = (): void => {
    for (const file of files) writeFileSync(file, 'cookies');
  };
  leave();
  const jobs = [await submitGated(world, 'empty-a'), await submitGated(world, 'empty-b')];
  await Promise.all([world.gates.reached('empty-a'), world.gates.reached('empty-b')]);
  expect(files.map((file) => existsSync(file))).toEqual([false, false]);
  leave();
  world.gates.open('empty-a');
  world.gates.open('empty-b');
  for (const job of jobs) expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
  expect(files.map((file) => existsSync(file))).toEqual([false, false]);
});

test('a job that is cancelled while its page hangs leaves a worker whose slots are all of use', async () => {
  const hanging = await submitGated(world, 'hangs');
  await world.gates.reached('hangs');
  await hanging.cancel();
  expect(await hanging.wait()).toMatchObject({ status: 'cancelled' });
  const after = await Promise.all([submitSimple(world), submitSimple(world), submitSimple(world)]);
  for (const job of after) expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
});

test('a run that is terminated ends its session at the node within seconds', async () => {
  const job = await submitGated(world, 'terminated');
  await world.gates.reached('terminated');
  expect(await sessionsOf(world)).toHaveLength(1);
  await world.temporal.workflow.getHandle(job.id).terminate('test');
  expect(await job.wait()).toMatchObject({ status: 'cancelled' });
  await untilIdle(world);
});

test('Q39: slots that hang outlive their worker only until the next start, which kills them and removes its folder', async () => {
  const [worker, hung] = [world.renderWorkers.at(-1), slots()];
  const folder = dirname(folderOf(hung[0] ?? 0));
  for (const pid of hung) process.kill(pid, 'SIGSTOP');
  await killService(worker);
  expect(hung.map((pid) => folderOf(pid).startsWith(folder))).toEqual([true, true]);
  await world.startRenderWorker();
  expect(existsSync(folder)).toBe(false);
  const running = execFileSync('ps', ['-eo', 'pid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  const left = running.map((line) => line.trim().split(/\s+/)).filter(([, state]) => state?.startsWith('Z') !== true);
  expect(left.filter(([pid]) => hung.includes(Number(pid)))).toEqual([]);
  expect(slots()).toHaveLength(2);
  expect(await (await submitSimple(world)).wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
});
