import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../../client/index.js';
import { storedObjects } from '../../workflows/contract/index.js';
import { processesNaming } from '../support/child-processes.js';
import { SESSIONS, type ChaosNode } from '../support/deployment-parts.js';
import type { Deployment } from '../support/deployment.js';
import { LedgerUsage } from '../support/usage.js';
import type { LoadedJob } from './load.js';

export type Ledger = Awaited<ReturnType<Deployment['capacity']['ledger']>>;

export interface Ended extends LoadedJob {
  /** Undefined: it has not ended in time. */
  readonly outcome: Outcome<'page_screenshot'> | undefined;
}

/** Of a render worker; each has one folder as long as it runs, in the one of its worker. */
const SLOTS = 2;

/** Each line is one violation; the word before the colon says of what. */
export async function violationsOf(deployment: Deployment, jobs: readonly Ended[], ledger: Ledger): Promise<string[]> {
  return [
    ...jobs.flatMap(outcomeViolations),
    ...tooFew(jobs),
    ...(await objectViolations(deployment, jobs)),
    ...(await limitViolations(deployment, ledger)),
    ...(await Promise.all(deployment.nodes.map((node) => connectViolations(node)))).flat(),
    ...(await commitViolations(deployment, ledger)),
    ...(await leftovers(deployment)),
  ];
}

export async function wholeLedger({ capacity }: Deployment): Promise<Ledger> {
  const lines: Ledger[number][] = [];
  for (;;) {
    const more = await capacity.ledger(lines.at(-1)?.seq ?? 0);
    if (more.length === 0) return lines;
    lines.push(...more);
  }
}

function outcomeViolations({ id, asked, outcome }: Ended): string[] {
  if (outcome === undefined) return [`outcome: ${id} has not ended`];
  if (outcome.status === 'cancelled' && asked === 'none') return [`outcome: ${id} is cancelled, and nobody asked`];
  return [];
}

/** Faults cost attempts, and a job has two; when most fail all the same, the other checks have seen nothing. */
function tooFew(jobs: readonly Ended[]): string[] {
  const left = jobs.filter(({ asked }) => asked === 'none');
  const succeeded = left.filter(({ outcome }) => outcome?.status === 'succeeded').length;
  return succeeded * 2 > left.length
    ? []
    : [`outcome: only ${String(succeeded)} of ${String(left.length)} jobs succeeded`];
}

async function fetchObject({ store, bucket }: Deployment, key: string): Promise<Buffer> {
  return Buffer.concat((await (await store.getObject(bucket, key)).toArray()) as Buffer[]);
}

async function objectViolations(deployment: Deployment, jobs: readonly Ended[]): Promise<string[]> {
  const keys = new Set(await deployment.objects());
  const violations: string[] = [];
  for (const { id, outcome } of jobs) {
    if (outcome?.status !== 'succeeded') continue;
    for (const { key, sha256 } of Object.values(storedObjects(outcome.result))) {
      if (!keys.has(key)) violations.push(`object: ${key} of ${id} is missing`);
      else if (
        createHash('sha256')
          .update(await fetchObject(deployment, key))
          .digest('hex') !== sha256
      )
        violations.push(`object: ${key} of ${id} has another digest`);
    }
  }
  // Of a run that was terminated after its commit only the row tells.
  const { rows } = await deployment.pool.query<{ text: string }>(
    'select result::text as text from darkroom.result where cleared_at is null',
  );
  const named = rows.map(({ text }) => text).join('\n');
  const without = [...keys].filter((key) => !named.includes(key));
  // A job without a result may have evidence, so its objects stay a day; they must be known to the sweep after that.
  const { rows: later } = await deployment.pool.query<{ reservation: string }>(
    `select r.reservation from darkroom.reservation r
     where r.reservation = any ($1) and not exists (select from darkroom.result d where d.job = r.job)
       and darkroom.uploads(array[r.reservation], clock_timestamp() + interval '25 hours') ->> r.reservation = 'orphan'`,
    [without.map(reservationIn)],
  );
  const sweptLater = new Set(later.map(({ reservation }) => reservation));
  const left = without.filter((key) => !sweptLater.has(reservationIn(key)));
  return [...violations, ...left.map((key) => `left over: object ${key} without a row`)];
}

function reservationIn(key: string): string {
  return key.split('/')[1] ?? '';
}

async function limitViolations(deployment: Deployment, ledger: Ledger): Promise<string[]> {
  const { limits, nodes } = await deployment.capacity.snapshot();
  const usage = new LedgerUsage();
  const exceeded = ledger.flatMap((line) => usage.take(line, limits, nodes));
  return [
    ...exceeded.map((what) => `limit: ${what}`),
    ...(usage.running === 0 ? [] : [`left over: ${String(usage.running)} reservations by the ledger`]),
    ...(await deployment.drift()).map((what) => `left over: counter ${JSON.stringify(what)}`),
  ];
}

interface NodeLine {
  readonly event: 'started' | 'open' | 'close' | 'refused';
  readonly trackingId?: string | null;
}

/** What the node itself saw, which would have taken more sessions than the configuration says. */
async function connectViolations({ id, connectLog }: ChaosNode): Promise<string[]> {
  const lines = (await readFile(connectLog, 'utf8')).split('\n').filter((line) => line !== '');
  const open = new Set<string>();
  const violations: string[] = [];
  for (const line of lines) {
    const { event, trackingId } = JSON.parse(line) as NodeLine;
    if (event === 'started') open.clear();
    if (event === 'close') open.delete(trackingId ?? '');
    if (event === 'open') {
      open.add(trackingId ?? '');
      if (open.size > SESSIONS) violations.push(`limit: ${id} had ${String(open.size)} sessions`);
    }
  }
  return [...violations, ...[...open].map((session) => `left over: ${id} still has ${session}`)];
}

/** One commit a job, by a reservation that held the job then, and the row is of that reservation. */
async function commitViolations({ pool }: Deployment, ledger: Ledger): Promise<string[]> {
  const committed = new Map<string, string>();
  const over = new Set<string>();
  const violations: string[] = [];
  for (const { event, job, reservation } of ledger) {
    if (reservation === null) continue;
    if (['quarantined', 'released', 'freed'].includes(event)) over.add(reservation);
    if (event !== 'committed') continue;
    if (committed.has(job)) violations.push(`commit: ${job} twice`);
    if (over.has(reservation)) violations.push(`commit: ${job} by ${reservation}, which no longer held it`);
    committed.set(job, reservation);
  }
  const { rows } = await pool.query<{ job: string; reservation: string }>(
    'select job, reservation from darkroom.result',
  );
  const others = rows.filter(({ job, reservation }) => committed.get(job) !== reservation);
  return [...violations, ...others.map(({ job }) => `commit: the row of ${job} is of another reservation`)];
}

async function leftovers(deployment: Deployment): Promise<string[]> {
  const { running, waiting, reservations } = await deployment.capacity.snapshot();
  const { rows } = await deployment.pool.query<{ job: string }>(
    "select job from darkroom.request where state in ('deferred', 'ready', 'held')",
  );
  const sessions = (await Promise.all(deployment.nodes.map((node) => node.listed()))).flat();
  const browsers = processesNaming(join(deployment.folder, 'node-')).filter(
    (pid) => !deployment.nodes.some(({ process }) => process.current?.pid === pid),
  );
  const folders = await Promise.all(
    deployment.workers.map(async ({ name, disk }) => ({
      name,
      left: (await readdir(disk, { recursive: true })).length - (name === 'render-worker' ? 1 + SLOTS : 0),
    })),
  );
  return [
    ...(running + waiting.interactive + waiting.background === 0 ? [] : ['left over: running or waiting']),
    ...reservations.map(({ reservation, state }) => `left over: reservation ${reservation} ${state}`),
    ...rows.map(({ job }) => `left over: ticket of ${job}`),
    ...sessions.map((session) => `left over: session ${session}`),
    ...browsers.map((pid) => `left over: browser process ${String(pid)}`),
    ...folders
      .filter(({ left }) => left > 0)
      .map(({ name, left }) => `left over: ${String(left)} files or folders of a ${name}`),
  ];
}
