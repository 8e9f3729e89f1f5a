import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { part } from '../../workers/replay/divergence.js';
import {
  describeReplay,
  parseHistory,
  replayHistories,
  workflowIdOf,
  type NamedHistory,
  type Replayed,
} from '../../workers/replay/index.js';
import { CONSUME_WORKFLOW, SWEEP_WORKFLOW, WORKFLOW_TYPES } from '../../workflows/contract/index.js';
import { goldens, historyFile, OUTCOMES } from './outcomes.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const logger = new DefaultLogger('ERROR');

/** Under the checkout, so that packages are found, but not under `node_modules`, which the bundler does not compile. */
let scratch: string;
beforeAll(() => {
  mkdirSync(join(ROOT, '.darkroom'), { recursive: true });
  scratch = mkdtempSync(join(ROOT, '.darkroom', 'replay-test-'));
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

async function bundle(workflows: string): Promise<string> {
  return (await bundleWorkflowCode({ workflowsPath: join(workflows, 'workflow-types.ts'), logger })).code;
}

/** The workflow code with one text in one file changed. */
async function changedBundle(file: string, from: string, to: string): Promise<string> {
  const folder = join(mkdtempSync(join(scratch, 'changed-')), 'workflows');
  cpSync(join(ROOT, 'workflows'), folder, { recursive: true });
  const source = readFileSync(join(folder, file), 'utf8');
  expect(source.split(from)).toHaveLength(2);
  writeFileSync(join(folder, file), source.replace(from, to));
  return await bundle(folder);
}

const GOLDENS = goldens();

function named(files: Iterable<string> = GOLDENS.keys()): NamedHistory[] {
  return [...files].map((name) => {
    const history = parseHistory(GOLDENS.get(name) ?? expect.fail(`No golden history ${name}.`));
    return { name, workflowId: workflowIdOf(history) ?? name, history };
  });
}

async function replay(code: string, files?: Iterable<string>): Promise<Replayed[]> {
  const results: Replayed[] = [];
  for await (const result of replayHistories(code, named(files))) results.push(result);
  return results;
}

test('every workflow type and outcome has a golden history, and there is no other', () => {
  const types = [...Object.values(WORKFLOW_TYPES), CONSUME_WORKFLOW, SWEEP_WORKFLOW];
  expect(Object.keys(OUTCOMES).sort()).toEqual(types.sort());
  const wanted = Object.entries(OUTCOMES).flatMap(([type, outcomes]) => outcomes.map((one) => historyFile(type, one)));
  expect([...GOLDENS.keys()].sort()).toEqual(wanted.sort());
});

test('every golden history ends as its name says', () => {
  for (const [name, text] of GOLDENS) {
    const outcome = name.split('.')[1] ?? '';
    const last = parseHistory(text).events?.at(-1);
    const code = last?.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.type;
    if (code !== undefined) expect([name, code]).toEqual([name, outcome]);
    else if (outcome.startsWith('cancelled'))
      expect([name, Boolean(last?.workflowExecutionCanceledEventAttributes)]).toEqual([name, true]);
  }
});

test('golden histories name neither a machine nor a folder', () => {
  for (const [name, text] of GOLDENS) {
    const inPayloads = [...text.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) => atob(data)).join('\n');
    expect([name, /\/(tmp|home|root|work)\//.exec(text + inPayloads)?.[0]]).toEqual([name, undefined]);
    expect([name, [...text.matchAll(/"identity":"([^"]+)"/g)].filter(([, who]) => who !== 'recorder')]).toEqual([
      name,
      [],
    ]);
  }
});

test('Q37: the current workflow code replays every golden history, and each of its commands is found in them', async () => {
  const results = await replay(await bundle(join(ROOT, 'workflows')));
  expect(results.map(({ name }) => name)).toEqual([...GOLDENS.keys()]);
  expect(
    results
      .filter(({ divergence }) => divergence !== undefined)
      .map(describeReplay)
      .join('\n'),
  ).toBe('');
  for (const { name, commands } of results) {
    const { events = [] } = parseHistory(GOLDENS.get(name) ?? '');
    const parting = part(events ?? [], commands);
    expect([name, parting.event, parting.command]).toEqual([name, undefined, undefined]);
  }
});

const SUCCEEDED = historyFile('pageScreenshot', 'succeeded');

test('one activity more before a session is opened is found, with event, command and source line', async () => {
  const before = '    const opened = await open(';
  const line = lineOf('session.ts', before);
  const code = await changedBundle(
    'session.ts',
    before,
    `    await returnActivities.releaseCapacity(grant);\n${before}`,
  );
  const [result] = await replay(code, [SUCCEEDED]);
  const scheduled = named([SUCCEEDED])[0]?.history.events?.find(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'openSession',
  );
  expect(result?.divergence).toMatchObject({
    eventId: Number(scheduled?.eventId),
    eventType: 'ActivityTaskScheduled',
    history: 'ActivityTaskScheduled of openSession',
    code: 'scheduleActivity of releaseCapacity',
  });
  expect(result?.divergence?.source[0]).toBe(`workflows/session.ts:${String(line)} releaseCapacity`);
  expect(result?.divergence?.message).toContain('openSession');
});

test('a search attribute that is no longer set is found where the code went on without it', async () => {
  const text = 'setSearchAttributes({ [ATTRIBUTES.state]: state, ...(grant && { [ATTRIBUTES.node]: grant.node }) });';
  const [result] = await replay(await changedBundle('run.ts', text, 'void grant;'), [SUCCEEDED]);
  expect(result?.divergence).toMatchObject({
    history: 'UpsertWorkflowSearchAttributes',
    code: 'scheduleActivity of openSession',
  });
  expect(result?.divergence?.source[0]).toMatch(/^workflows\/session\.ts:\d+ openSession$/);
});

test('an error in workflow code is told with the line that threw it, and other histories are replayed all the same', async () => {
  const text = "    if (state.state === 'refused') throw new AttemptEnd(state.code);\n";
  const line = lineOf('acquire.ts', text);
  const code = await changedBundle('acquire.ts', text, "    if (state.state === 'refused') state.code.missing();\n");
  const files = ['user_queue_full', 'succeeded'].map((outcome) => historyFile('pageScreenshot', outcome));
  const [refused, succeeded] = await replay(code, files);
  expect(refused?.divergence?.code).toBe('threw TypeError: state.code.missing is not a function');
  expect(refused?.divergence?.source[0]).toMatch(new RegExp(`^workflows/acquire\\.ts:${String(line)} `));
  expect(succeeded?.divergence).toBeUndefined();
});

function lineOf(file: string, text: string): number {
  const source = readFileSync(join(ROOT, 'workflows', file), 'utf8');
  return source.slice(0, source.indexOf(text)).split('\n').length;
}
