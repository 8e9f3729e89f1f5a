import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { darkroom } from '../support/cli.js';
import { submitSimple } from '../support/jobs.js';
import { temporalProgram } from '../support/temporal-program.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
let id: string;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
  const job = await submitSimple(world);
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  await world.temporal.workflow.getHandle(job.id).result();
  id = job.id;
});
afterAll(async () => {
  await world.close();
});

/** As Temporal's own command line writes it. */
async function shown(): Promise<string> {
  const { address } = (world.temporal.connection as unknown as { options: { address: string } }).options;
  const { namespace } = world.temporal.options;
  const args = ['workflow', 'show', '-w', id, '--output', 'json', '--address', address, '--namespace', namespace];
  return (await promisify(execFile)(await temporalProgram(), args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

test('a run is replayed by its id and by a query: exit code 0', async () => {
  const { code, stdout } = await darkroom(world.configuration, [
    'replay',
    id,
    '--query',
    `WorkflowId = "${id}"`,
    '--json',
  ]);
  const ok = { workflowId: id, status: 'ok' };
  expect(JSON.parse(stdout)).toMatchObject([ok, ok]);
  expect(code).toBe(0);
});

test('a history as Temporal’s command line writes it is replayed from its file; one that the code did not write is exit code 1', async () => {
  const text = await shown();
  const file = join(world.folder, 'shown.json');
  const other = join(world.folder, 'other.json');
  await writeFile(file, text);
  await writeFile(other, text.replace('"openSession"', '"somethingElse"'));
  const { code, stderr } = await darkroom(join(world.folder, 'no-configuration.yaml'), ['replay', file, other]);
  expect(stderr).toContain(`ok        ${file}`);
  expect(stderr).toContain(`DIVERGED  ${other} at event`);
  expect(stderr).toMatch(
    /history {3}ActivityTaskScheduled of somethingElse\n {2}code {6}scheduleActivity of openSession\n/,
  );
  expect(stderr).toMatch(/at {8}workflows\/session\.ts:\d+ open\n/);
  expect(code).toBe(1);
});

test('a history as Temporal’s UI fetches and downloads it is replayed', async () => {
  const { namespace } = world.temporal.options;
  const path = `/api/v1/namespaces/${namespace}/workflows/${encodeURIComponent(id)}/history`;
  const answer = await fetch(new URL(path, inject('shared').temporal.ui));
  const { history } = (await answer.json()) as { history: { events: { eventType: string }[] } };
  expect(history.events.length).toBeGreaterThan(10);
  const file = join(world.folder, 'downloaded.json');
  await writeFile(file, JSON.stringify({ events: history.events }));
  const { code, stderr } = await darkroom(join(world.folder, 'no-configuration.yaml'), ['replay', file]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`ok        ${file}`) as string]);
});

test('no argument, an unknown workflow and a file that is no history are exit code 2', async () => {
  const file = join(world.folder, 'none.json');
  await writeFile(file, '{"events":[]}');
  for (const args of [['replay'], ['replay', 'no/such/job'], ['replay', file], ['replay', `${file}.json`]]) {
    expect([args, (await darkroom(world.configuration, args)).code]).toEqual([args, 2]);
  }
});

test('jobs show prints the timeline, a link to the picture and the run’s page', async () => {
  const { code, stderr } = await darkroom(world.configuration, ['jobs', 'show', id]);
  expect(code).toBe(0);
  for (const text of ['succeeded, attempt 1', 'capturing', 'node-1', 'start (ms)', '/workflows/']) {
    expect(stderr).toContain(text);
  }
  const link = /^link \(1 h\)\s+(\S+)$/m.exec(stderr)?.[1] ?? '';
  expect((await fetch(link)).headers.get('content-type')).toBe('image/png');
});
