import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { darkroom as runCli, type Ended } from '../support/cli.js';
import { submitGated, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.close();
});

async function darkroom(args: readonly string[], configuration = world.configuration): Promise<Ended> {
  return await runCli(configuration, args);
}

async function inputFile(input: unknown): Promise<string> {
  const file = join(world.folder, 'input.json');
  await writeFile(file, JSON.stringify(input));
  return file;
}

const simple = { target: { base: 'pages', path: '/simple.html' } };

test('run --json prints one document on stdout, writes the picture, and exits with 0', async () => {
  const out = join(world.folder, 'out');
  const { code, stdout } = await darkroom([
    'run',
    'page_screenshot',
    '--input',
    await inputFile(simple),
    '--out',
    join(out, 'a.png'),
    '--json',
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    jobId: expect.stringMatching(/^page_screenshot\/local\/[0-9a-f]{64}$/) as string,
    runId: expect.any(String) as string,
    kind: 'page_screenshot',
    status: 'succeeded',
    attempts: 1,
    result: { width: 1_280, height: 800 },
  });
  const { object: link } = (JSON.parse(stdout) as { links: { object: string } }).links;
  const linked = Buffer.from(await (await fetch(link)).arrayBuffer());
  expect(linked.equals(await readFile(join(out, 'a.png')))).toBe(true);
  expect((await fetch(link.replace(/X-Amz-Signature=.{4}/, 'X-Amz-Signature=0000'))).status).toBe(403);
  const { width, height } = PNG.sync.read(await readFile(join(out, 'a.png')));
  expect([width, height]).toEqual([1_280, 800]);
});

test('a failed job exits with 1 and has its code in the document', async () => {
  const file = await inputFile({ target: { base: 'pages', path: '/../x' } });
  const { code, stdout } = await darkroom(['run', 'page_screenshot', '--input', file, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'failed',
    error: { code: 'target_forbidden', retryable: false, layer: 'target' },
  });
});

test('an unknown option exits with 2, before there is a job', async () => {
  const file = await inputFile({ ...simple, script: 'x' });
  const { code, stdout } = await darkroom(['run', 'page_screenshot', '--input', file, '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ jobId: null, error: { code: 'unsupported_option' } });
});

test.each([
  [['run', 'no_such_kind', '--input', 'x']],
  [['run', 'page_screenshot']],
  [['frobnicate']],
  [['shot', '/x']],
  [['jobs', 'list', '--state', 'bogus']],
])('darkroom %j is wrong usage: exit code 2', async (args) => {
  const { code, stderr } = await darkroom(args);
  expect(code).toBe(2);
  expect(stderr).not.toBe('');
});

test('a service that does not answer is exit code 3', async () => {
  const away = join(world.folder, 'away.yaml');
  const configuration = await readFile(world.configuration, 'utf8');
  await writeFile(away, configuration.replace(/address: .*/, 'address: 127.0.0.1:9'));
  const { code, stderr } = await darkroom(['jobs', 'list'], away);
  expect(code).toBe(3);
  expect(stderr).toContain('Temporal');
});

test('shot takes a URL under a base', async () => {
  const file = join(world.folder, 'shot.webp');
  const { code, stderr } = await darkroom(['shot', `${world.pages.url.href}simple.html`, '-o', file]);
  expect(stderr).toContain('succeeded');
  expect(code).toBe(0);
  expect((await readFile(file)).subarray(8, 12).toString()).toBe('WEBP');
});

test('shot of a page that is gone writes no picture, but what was kept of it, beside', async () => {
  const file = join(world.folder, 'gone.png');
  const { code, stderr } = await darkroom(['shot', 'pages:/gone', '-o', file]);
  expect(code).toBe(1);
  expect(stderr).toContain('target_gone');
  await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
  const report = JSON.parse(await readFile(join(world.folder, 'gone-report.json'), 'utf8')) as unknown;
  expect(report).toMatchObject({ code: 'target_gone' });
});

test('jobs list, show and cancel, and capacity, tell of a job that runs', async () => {
  const job = await submitGated(world, 'cli');
  await world.gates.reached('cli');
  const shown = await darkroom(['jobs', 'show', job.id, '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: job.id, state: 'running' });
  const capacity = await darkroom(['capacity', '--json']);
  expect(JSON.parse(capacity.stdout)).toMatchObject({ running: 1, reservations: [{ job: job.id, state: 'active' }] });
  const cancelled = await darkroom(['jobs', 'cancel', job.id, '--json']);
  expect(JSON.parse(cancelled.stdout)).toEqual({ id: job.id, status: 'cancelled' });
  await untilIdle(world);
});

test('a job that does not exist is exit code 2', async () => {
  expect((await darkroom(['jobs', 'show', 'page_screenshot/x/y'])).code).toBe(2);
});

test('doctor finds every part well', async () => {
  const { code, stdout } = await darkroom(['doctor', '--json']);
  const findings = JSON.parse(stdout) as { part: string; ok: boolean }[];
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  const nodes = world.nodes.map(({ id }) => `node ${id}`);
  expect(findings.map(({ part }) => part)).toEqual(['temporal', 'postgres', 'storage', 'workers', ...nodes]);
  expect(code).toBe(0);
});
