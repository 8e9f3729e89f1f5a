import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ComponentReport, PageReport } from '../../workflows/contract/index.js';
import { darkroom, runJob } from '../support/cli.js';
import { untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
});
afterAll(async () => {
  await world.close();
});

const FAULTS = { target: { base: 'pages', path: '/faults/index.html' } };

test('a page is diagnosed: the report is in storage, the worst findings are in the result, the picture shows them', async () => {
  const job = await world.darkroom.submit('page_diagnostics', { input: FAULTS, workspace: 'w1', user: 'u1' });
  const outcome = await job.wait();
  if (outcome.status !== 'succeeded') throw new Error(outcome.error.message);
  const { result } = outcome;
  const report = JSON.parse((await world.fetchObject(result.report.key)).toString()) as PageReport;
  expect(report.findings.items.slice(0, result.worst.length)).toEqual(result.worst);
  expect(report.navigation).toMatchObject({ status: 200, finalUrl: `${world.pages.url.href}faults/index.html` });
  expect(result.counts.error).toBeGreaterThan(5);
  expect((await world.fetchObject(result.picture?.key ?? '')).subarray(0, 3).toString('hex')).toBe('ffd8ff');
  await untilIdle(world);
});

test('a diagnosis of a page that is not there fails with the code, and makes up no findings', async () => {
  const { code, document } = await runJob(
    world,
    { target: { base: 'pages', path: '/nowhere' } },
    [],
    'page_diagnostics',
  );
  expect(code).toBe(1);
  expect(document).toMatchObject({ kind: 'page_diagnostics', status: 'failed', error: { code: 'target_gone' } });
  expect(document).not.toHaveProperty('result');
});

test('a component is diagnosed in all states of its profile, in one session; the bad one hides no other', async () => {
  const before = (await world.connectLog()).length;
  const job = await world.darkroom.submit('component_diagnostics', {
    input: {
      target: { base: 'pages', path: '/host.html' },
      profile: { scenarios: ['warning', 'none', 'danger'].map((preset) => ({ id: preset, preset })) },
      quietMs: 100,
    },
    workspace: 'w1',
    user: 'u1',
  });
  const outcome = await job.wait();
  if (outcome.status !== 'succeeded') throw new Error(outcome.error.message);
  const { result } = outcome;
  expect(result.scenarios.map(({ id, state }) => [id, state])).toEqual([
    ['default', 'ok'],
    ['warning', 'ok'],
    ['none', 'source_error'],
    ['danger', 'ok'],
  ]);
  const report = JSON.parse((await world.fetchObject(result.report.key)).toString()) as ComponentReport;
  const pictures = report.scenarios.map(({ picture }) => picture?.key ?? '');
  expect(new Set(pictures).size).toBe(4);
  expect(await world.objects()).toEqual(expect.arrayContaining(pictures));
  expect(report.scenarios[0]?.picture).toEqual(result.picture);
  await untilIdle(world);
  expect((await world.connectLog()).length - before).toBe(2);
});

test('the command line writes the report, and every picture that it names', async () => {
  const out = join(world.folder, 'diagnosis');
  const { code } = await runJob(world, FAULTS, ['--out', out, '--key', 'files'], 'page_diagnostics');
  expect(code).toBe(0);
  const { stdout } = await darkroom(world.configuration, ['jobs', 'list', '--json']);
  expect(stdout).toContain('page_diagnostics/');
  const names = (await readdir(out)).sort();
  expect(names.map((name) => name.replace(/-[0-9a-f]{12}-/, '-…-'))).toEqual([
    'page_diagnostics-…-picture.jpg',
    'page_diagnostics-…-report.json',
  ]);
  const report = JSON.parse(await readFile(join(out, names[1] ?? ''), 'utf8')) as PageReport;
  expect(report.v).toBe(1);

  const component = {
    target: { base: 'pages', path: '/host.html' },
    profile: { scenarios: [{ id: 'danger', preset: 'danger' }] },
  };
  expect(await runJob(world, component, ['--out', out], 'component_diagnostics')).toMatchObject({ code: 0 });
  const pictures = (await readdir(out)).filter((name) => name.startsWith('component') && name.endsWith('.jpg'));
  expect(pictures.map((name) => name.replace(/-[0-9a-f]{12}-/, '-…-')).sort()).toEqual([
    'component_diagnostics-…-01-danger.jpg',
    'component_diagnostics-…-picture.jpg',
  ]);
});
