import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { DarkroomError, type Outcome } from '../../client/index.js';
import type { Deployment } from '../support/deployment.js';
import { pick } from './random.js';

export interface LoadedJob {
  readonly id: string;
  /** How the load itself ended it. */
  readonly asked: 'none' | 'cancel' | 'terminate';
}

export interface Load {
  readonly jobs: readonly LoadedJob[];
  /** Settles when every job that runs now has ended. */
  turn(): Promise<void>;
  /** No more jobs; resolves when each lane has seen its last one end, or the time is over. */
  stop(withinMs: number): Promise<void>;
}

export interface LoadOptions {
  /** Callers, each with one job at a time. */
  readonly lanes: number;
  /** Share of the jobs that their caller cancels. */
  readonly cancelled: number;
  /** Share of the jobs whose workflow is terminated, as an operator does in Temporal's UI. */
  readonly terminated: number;
}

/** Every page is a picture of its own, so that a wrong object is told by its digest. */
const pageOf = (count: number) => ({
  base: 'pages',
  path: '/page',
  query: { html: `<title>${String(count)}</title><h1>${String(count)}</h1>` },
});

/** So many callers, each with one job at a time. */
export function startLoad(
  deployment: Deployment,
  random: () => number,
  { lanes, cancelled, terminated }: LoadOptions,
): Load {
  const jobs: LoadedJob[] = [];
  const giveUp = new AbortController();
  setMaxListeners(0, giveUp.signal); // One a lane, and more while they ask again.
  let stopped = false;
  let count = 0;

  const runOne = async (): Promise<void> => {
    count += 1;
    const number = count;
    const draw = random();
    const asked = draw < cancelled ? 'cancel' : draw < cancelled + terminated ? 'terminate' : 'none';
    const afterMs = random() * 2_000;
    const settle = random() < 0.5 ? [] : [{ type: 'delay' as const, ms: Math.round(random() * 1_000) }];
    const submission = {
      workspace: pick(random, ['w1', 'w2', 'w3']) ?? 'w1',
      user: pick(random, ['u1', 'u2', 'u3', 'u4']) ?? 'u1',
      class: random() < 0.6 ? ('interactive' as const) : ('background' as const),
      key: `job-${String(number)}`,
      input: { target: pageOf(number), page: { waitFor: settle } },
    };
    // The same key: a submit whose answer was lost finds its job.
    const job = await persist(giveUp.signal, () => deployment.darkroom.submit('page_screenshot', submission));
    if (job === undefined) return;
    jobs.push({ id: job.id, asked });
    if (asked !== 'none') {
      await pause(afterMs);
      await persist(giveUp.signal, () =>
        asked === 'cancel'
          ? job.cancel()
          : deployment.temporal.workflow.getHandle(job.id).terminate('chaos').catch(gone),
      );
    }
    await outcomeOf(deployment, job.id, giveUp.signal);
  };
  const current: Promise<void>[] = [];
  const lane = async (index: number): Promise<void> => {
    while (!stopped) await (current[index] = runOne());
  };
  const running = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return {
    jobs,
    turn: async () => {
      await Promise.all(current);
    },
    stop: async (withinMs) => {
      stopped = true;
      const timer = setTimeout(() => {
        giveUp.abort();
      }, withinMs);
      await running;
      clearTimeout(timer);
    },
  };
}

/** Undefined when the job has not ended before the signal. */
export async function outcomeOf(
  deployment: Deployment,
  id: string,
  signal: AbortSignal,
): Promise<Outcome<'page_screenshot'> | undefined> {
  return await persist(signal, () => deployment.darkroom.job<'page_screenshot'>(id).wait({ signal }));
}

function gone(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** A caller whose server is away asks again. */
async function persist<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof DarkroomError) throw error; // Of the submission itself: it would be the same again.
      await pause(200);
    }
  }
  return undefined;
}
