import type { SubmittedJob, Submission } from '../../client/index.js';
import type { Service } from '../../infra/stack/index.js';
import type { PageScreenshotRequest } from '../../workflows/contract/index.js';
import { eventually } from './eventually.js';
import type { Deployment } from './deployment.js';
import type { World } from './world.js';

/** Where a test's jobs run. */
type Site = World | Deployment;

type Asked = Partial<Omit<Submission<unknown>, 'input'>>;

let count = 0;

export const SIMPLE = { target: { base: 'pages', path: '/simple.html' } };

/** A small static page; every call is a job of its own unless a key says otherwise. */
export async function submitSimple(site: Site, asked: Asked = {}): Promise<SubmittedJob<'page_screenshot'>> {
  return await submit(site, SIMPLE, asked);
}

/** A page that stays unready until `gates.open(name)`. */
export async function submitGated(
  site: Site,
  name: string,
  asked: Asked = {},
): Promise<SubmittedJob<'page_screenshot'>> {
  const input = {
    target: { base: 'gates', path: `/gated/${name}` },
    page: { waitFor: [{ type: 'ready' as const, ms: 60_000 }] },
  };
  return await submit(site, input, asked);
}

/** A page whose navigation does not end until `gates.open(name)`. */
export async function submitHeld(
  site: Site,
  name: string,
  asked: Asked = {},
): Promise<SubmittedJob<'page_screenshot'>> {
  return await submit(site, { target: { base: 'gates', path: `/held/${name}` } }, asked);
}

async function submit(
  site: Site,
  input: PageScreenshotRequest,
  asked: Asked,
): Promise<SubmittedJob<'page_screenshot'>> {
  count += 1;
  return await site.darkroom.submit('page_screenshot', {
    workspace: 'w1',
    user: 'u1',
    operation: `operation-${String(count)}`,
    ...asked,
    input,
  });
}

/** Waits until a job waits in the scheduler's queue. */
export async function untilQueued(site: Site, waiting = 1): Promise<void> {
  await eventually(
    async () => {
      const { interactive, background } = (await site.capacity.snapshot()).waiting;
      return interactive + background;
    },
    (now) => now >= waiting,
  );
}

/** Nothing granted, nothing waiting, nothing on the node. */
export async function untilIdle(site: Site, withinMs = 20_000): Promise<void> {
  await eventually(
    async () => {
      const { running, waiting, reservations } = await site.capacity.snapshot();
      return { running, waiting, reservations, sessions: await sessionsOf(site) };
    },
    ({ running, waiting, sessions }) =>
      running === 0 && waiting.interactive + waiting.background === 0 && sessions.length === 0,
    withinMs,
  );
}

/** What became of a job that has ended, once nothing of it runs any more. */
export interface Trace {
  readonly status: string;
  readonly attempts: number | undefined;
  /** What the ledger says of each of its reservations, in order. */
  readonly reservations: readonly { readonly id: string; readonly events: readonly string[] }[];
  /** How many objects its reservations stored. */
  readonly objects: number;
}

export async function traceOf(site: Site, job: SubmittedJob<'page_screenshot'>): Promise<Trace> {
  const { status, attempts } = await job.wait();
  await untilIdle(site);
  const lines = (await site.capacity.ledger()).filter((line) => line.job === job.id);
  const ids = [...new Set(lines.flatMap(({ reservation }) => reservation ?? []))];
  return {
    status,
    attempts,
    reservations: ids.map((id) => ({
      id,
      events: lines.filter(({ reservation }) => reservation === id).map(({ event }) => event),
    })),
    objects: (await site.objects()).filter((key) => ids.some((id) => key.includes(id))).length,
  };
}

/** SIGKILL, and the process is gone. */
export async function killService(service: Service | undefined): Promise<void> {
  if (service === undefined) throw new Error('there is no such process');
  process.kill(service.pid, 'SIGKILL');
  await service.exited;
}

/** The render worker that holds the first reservation: its log names its id. */
export async function holderOf(world: World): Promise<Service | undefined> {
  const [held] = (await world.capacity.snapshot()).reservations;
  return world.renderWorkers.find((worker) => worker.logTail().includes(held?.worker ?? 'none'));
}

/** Tracking ids of all sessions that the nodes themselves list. */
export async function sessionsOf(site: Site): Promise<readonly string[]> {
  return (await Promise.all(site.nodes.map((node) => node.listed()))).flat();
}
