import { createObjectStore, createNodeApi, Deadline, messageOf } from '../../activities/slot.js';
import { createCapacity, createPool, whatIsHeldBack, type Capacity } from '../../scheduler/index.js';
import type pg from 'pg';
import { Client, Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract/index.js';
import { readConfiguration, type Configuration } from '../configuration/index.js';
import { EXIT } from './exit.js';
import { printJson, say, table } from './output.js';

interface Finding {
  readonly part: string;
  readonly ok: boolean;
  readonly detail: string;
}

type Check = (configuration: Configuration, deadline: Deadline) => Promise<string>;

/** Enough for a healthy service across a network; a check never waits longer. */
const CHECK_MS = 5_000;
/** Three times as many as were measured to make no grant slower: see docs/performance.md. */
const HELD_BACK_TRANSACTIONS = 200_000;

/** Asks every part of the deployment whether it is there, and says what to do about one that is not. */
export async function doctor(options: { readonly json?: boolean }): Promise<number> {
  const configuration = readConfiguration(process.env);
  const checks: Record<string, Check> = { temporal, postgres, storage, workers };
  for (const connection of configuration.nodeConnections) {
    checks[`node ${connection.node}`] = async (_, deadline) => {
      const { browser, fontSet } = await createNodeApi(connection).version(deadline);
      return `${browser}, fonts ${fontSet?.slice(0, 12) ?? 'unknown'}`;
    };
  }
  const findings = await Promise.all(Object.entries(checks).map((entry) => examine(configuration, ...entry)));
  if (options.json) printJson(findings);
  else
    say(
      table(
        ['part', 'is', 'detail'],
        findings.map(({ part, ok, detail }) => [part, ok ? 'well' : 'NOT WELL', detail]),
      ),
    );
  return findings.every(({ ok }) => ok) ? EXIT.succeeded : EXIT.unreachable;
}

async function examine(configuration: Configuration, part: string, check: Check): Promise<Finding> {
  const deadline = Deadline.after(CHECK_MS, 'connect_timeout');
  try {
    return { part, ok: true, detail: await deadline.race(check(configuration, deadline)) };
  } catch (error) {
    return { part, ok: false, detail: messageOf(error) };
  } finally {
    deadline.stop();
  }
}

async function temporal({ temporal: { address, namespace } }: Configuration): Promise<string> {
  const connection = await Connection.connect({ address, connectTimeout: CHECK_MS });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(SEARCH_ATTRIBUTES).filter((name) => !(name in customAttributes));
    if (missing.length > 0) throw new Error(`register the search attributes ${missing.join(', ')} as Keyword`);
    const { count } = await new Client({ connection, namespace }).workflow.count(
      `${SEARCH_ATTRIBUTES.kind} IS NOT NULL`,
    );
    return `${address}, namespace ${namespace}, ${String(count)} jobs`;
  } finally {
    await connection.close();
  }
}

async function postgres(configuration: Configuration): Promise<string> {
  return await withCapacity(configuration, async (capacity, pool) => {
    const held = await whatIsHeldBack(pool);
    if (held !== undefined && held.transactions > HELD_BACK_TRANSACTIONS) {
      const since = `for ${String(held.transactions)} transactions, which makes every call slower: end it`;
      throw new Error(`${held.by} keeps Postgres from removing old rows ${since}`);
    }
    const { running, waiting, limits } = await capacity.snapshot();
    const queue = waiting.interactive + waiting.background;
    return `running ${String(running)} of ${String(limits.running)}, waiting ${String(queue)}`;
  });
}

async function workers(configuration: Configuration): Promise<string> {
  return await withCapacity(configuration, async (capacity) => {
    const live = (await capacity.snapshot()).workers.filter(({ state }) => state === 'live');
    if (live.length === 0) throw new Error('no render worker is live: start one');
    return `${String(live.length)} live, ${String(live.reduce((sum, { slots }) => sum + slots, 0))} slots`;
  });
}

async function storage({ storage: configured }: Configuration, deadline: Deadline): Promise<string> {
  if (!(await createObjectStore(configured).ready(deadline))) throw new Error(`no bucket ${configured.bucket}`);
  return `${configured.endpoint}, bucket ${configured.bucket}`;
}

async function withCapacity<T>(
  { postgres: { url } }: Configuration,
  work: (capacity: Capacity, pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool({
    connectionString: url,
    max: 1,
    applicationName: 'darkroom-doctor',
    onIdleError: () => undefined, // The check that uses it fails itself.
  });
  try {
    return await work(createCapacity(pool), pool);
  } finally {
    await pool.end();
  }
}
