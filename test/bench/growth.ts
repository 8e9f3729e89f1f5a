import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createDarkroom, type Darkroom } from '../../client/index.js';
import { startStack } from '../../infra/stack/index.js';
import { sampleTree, sizeOf, type ProcessSample } from './processes.js';
import type { BenchReport, BenchResult } from './report.js';
import { rise } from './trend.js';

const JOBS = 1_000;
const WARM_UP = 100;
const SHOW_EVERY = 100;
/** Of memory, over the jobs that are judged. */
const MOST_MB = 10;
/** Every so many jobs one is a diagnosis, which loads more code than a screenshot. */
const DIAGNOSIS_EVERY = 10;
/** Processes of ours by their path in the build; Temporal, Postgres and this one keep by design what they are told. */
const OURS = /^(workers|infra)\//;

interface Moment {
  readonly processes: readonly ProcessSample[];
  readonly temporary: { readonly entries: number; readonly bytes: number };
}

/** A thousand jobs one after another: what each process that lives through them all has more at the end. */
export async function measure(report: (line: string) => void): Promise<BenchReport> {
  const stack = await startStack({ report });
  const connection = await Connection.connect({ address: stack.services.temporal.address });
  const darkroom = createDarkroom(new Client({ connection }));
  const moments: Moment[] = [];
  try {
    const folders = [slotsFolder(), join(stack.folder, 'browser-node', 'profiles')];
    for (let job = 1; job <= JOBS; job += 1) {
      await run(darkroom, job);
      const sizes = folders.map(sizeOf);
      moments.push({
        processes: sampleTree(process.pid),
        temporary: {
          entries: sizes.reduce((sum, { entries }) => sum + entries, 0),
          bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
        },
      });
      if (job % SHOW_EVERY === 0) report(lineOf(job, moments.at(-1)));
    }
  } finally {
    await connection.close();
    await stack.stop();
  }
  return { suite: 'growth', results: judge(moments.slice(WARM_UP)) };
}

/** Of this run's render worker, whose slots write there. */
function slotsFolder(): string {
  const worker = sampleTree(process.pid).find(({ name }) => name === 'workers/render');
  const own = readdirSync(tmpdir()).find((name) => name.startsWith(`darkroom-slots-${String(worker?.pid)}-`));
  if (own === undefined) throw new Error('The render worker has no folder for temporary files.');
  return join(tmpdir(), own);
}

async function run(darkroom: Darkroom, job: number): Promise<void> {
  const target = { base: 'pages', path: '/uikit/tests/card.html' };
  const asked = { workspace: 'growth', user: 'growth', operation: `job-${String(job)}` };
  const submitted =
    job % DIAGNOSIS_EVERY === 0
      ? await darkroom.submit('page_diagnostics', { ...asked, input: { target } })
      : await darkroom.submit('page_screenshot', { ...asked, input: { target } });
  const outcome = await submitted.wait();
  if (outcome.status !== 'succeeded') throw new Error(`Job ${String(job)} ${outcome.status}: ${outcome.error.code}`);
}

function lineOf(job: number, moment: Moment | undefined): string {
  const { processes = [], temporary } = moment ?? {};
  const own = processes.filter(({ name }) => OURS.test(name));
  const parts = own.map(({ name, memoryMb, handles }) => `${name} ${memoryMb.toFixed(0)}/${String(handles)}`);
  const all = `${String(processes.length)} processes, ${String(temporary?.entries)} temporary files`;
  return `${String(job)} jobs: ${all}; MiB/handles: ${parts.join(', ')}`;
}

/** One result a process and kind of resource; its figure is the rise of the fitted line. */
export function judge(moments: readonly Moment[]): BenchResult[] {
  const through = (moments[0]?.processes ?? []).filter(
    ({ pid, name }) => OURS.test(name) && moments.every(({ processes }) => processes.some((one) => one.pid === pid)),
  );
  const of = (pid: number, pick: (sample: ProcessSample) => number): number[] =>
    moments.flatMap(({ processes }) => processes.filter((one) => one.pid === pid).map(pick));
  const results = through.flatMap(({ pid, name }) => {
    const [memory, handles] = [of(pid, ({ memoryMb }) => memoryMb), of(pid, (sample) => sample.handles)];
    return [
      result(`${name}: memory, MiB`, memory, MOST_MB),
      // One more pooled connection at the end than at the start is a rise, and no leak.
      result(`${name}: handles`, handles, 2),
    ];
  });
  return [
    ...results,
    result(
      'processes',
      moments.map(({ processes }) => processes.length),
      1,
    ),
    result(
      'temporary files and folders',
      moments.map(({ temporary }) => temporary.entries),
      2,
    ),
    result(
      'temporary space, MiB',
      moments.map(({ temporary }) => temporary.bytes / 1024 / 1024),
      1,
    ),
  ];
}

function result(name: string, values: readonly number[], most: number): BenchResult {
  const ours = rise(values);
  const range = `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  return { name, ours, peer: null, ratio: null, goal: `at most ${String(most)} (${range})`, holds: ours <= most };
}

export function describe({ results }: BenchReport): string[] {
  const jobs = String(JOBS - WARM_UP);
  return [
    `rise of the line through ${jobs} jobs, after ${String(WARM_UP)}`,
    ...results.map(
      ({ name, ours, goal, holds }) =>
        `  ${holds ? 'holds ' : 'MISSED'} ${name.padEnd(48)} ${ours.toFixed(2).padStart(8)}  ${goal}`,
    ),
  ];
}
