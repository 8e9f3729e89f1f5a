import fc from 'fast-check';
import type pg from 'pg';
import { expect, test } from 'vitest';
import {
  type Capacity,
  createCapacity,
  createRetention,
  defaultRetention,
  type LedgerEntry,
} from '../../scheduler/index.js';
import { findDrift } from './drift.js';
import { ModelCapacity } from './model.js';
import { isAgent } from './model/pass.js';
import { type Cast, identities, type Identity, perform, runsPass, type Step, story } from './operations.js';
import { LedgerUsage, unfairDecisions } from './properties.js';
import { emptyDatabase, useDatabase } from './scene.js';

const runs = Number(process.env['DARKROOM_LOCKSTEP_RUNS'] ?? 30);
const world = useDatabase(1);
/** Short enough for random steps to outlast it. */
const retention = { ...defaultRetention, resultMs: 6_000, consumedMs: 2_000 };

test('Postgres answers as the model does, and what must hold holds after every step', async () => {
  await fc.assert(
    fc.asyncProperty(identities, story, async (cast, steps) => {
      await emptyDatabase(world.pool);
      await createRetention(world.pool).apply(retention);
      const lockstep = new Lockstep(world.pool, cast);
      for (const step of steps) await lockstep.take(step);
      await lockstep.finish();
    }),
    {
      numRuns: runs,
      seed: Number(process.env['DARKROOM_LOCKSTEP_SEED'] ?? 20_261_130),
      plugins: [fc.interruptAfterTimeLimit(240_000, { failOnInterrupt: true })],
    },
  );
}, 300_000);

/** The same operations on both, at the same time of one clock, with Postgres' random ids renamed to the model's. */
class Lockstep {
  private readonly model = new ModelCapacity();
  private readonly postgres: Capacity;
  private readonly pool: pg.Pool;
  private readonly identities: readonly Identity[];
  private readonly usage = new LedgerUsage((job) => isAgent(this.model.state.jobs.get(job)?.kind ?? ''));
  private readonly names = new Map<string, string>();
  private seq = 0;
  private now = Date.UTC(2026, 10, 30);

  constructor(pool: pg.Pool, cast: readonly Identity[]) {
    this.model.state.retention = retention;
    this.pool = pool;
    this.postgres = createCapacity(pool);
    this.identities = cast;
  }

  async take({ afterMs, operation, twice }: Step): Promise<void> {
    this.now += afterMs;
    const before = this.casts();
    const lines = await this.perform(operation, before);
    if (runsPass(operation)) expect(this.model.eligible(new Date(this.now))).toEqual([]);
    if (!twice) return;
    // The same call again, though others may have been granted meanwhile: it changes nothing.
    expect([lines, await this.perform(operation, before)]).toEqual([lines, []]);
  }

  /** Nothing is held for ever: without a word from anybody, the hard expiry frees all. */
  async finish(): Promise<void> {
    expect(await findDrift(this.pool)).toEqual([]);
    expect(unfairDecisions(this.model.state.decisions)).toEqual([]);
    await this.take({ afterMs: 0, operation: { op: 'pause', paused: true }, twice: false });
    await this.take({ afterMs: 60_000, operation: { op: 'sweep' }, twice: true });
    expect(this.usage.running).toBe(0);
    expect(await findDrift(this.pool)).toEqual([]);
  }

  private async perform(operation: Step['operation'], casts: { model: Cast; postgres: Cast }): Promise<LedgerEntry[]> {
    const at = new Date(this.now);
    const expected = await perform(this.model, { operation, at, cast: casts.model });
    const answer = await perform(this.postgres, { operation, at, cast: casts.postgres });
    const lines = await this.postgres.ledger(this.seq);
    for (const line of lines) this.name(line);
    const expectedLines = await this.model.ledger(this.seq);
    const snapshot = await this.postgres.snapshot(at);
    expect(this.renamed({ operation, answer, lines, snapshot })).toEqual(
      plain({ operation, answer: expected, lines: expectedLines, snapshot: await this.model.snapshot(at) }),
    );
    expect(lines.flatMap((line) => this.usage.take(line, snapshot.limits, snapshot.nodes))).toEqual([]);
    expect(snapshot.running).toBe(this.usage.running);
    this.seq += lines.length;
    return [...lines];
  }

  private casts(): { model: Cast; postgres: Cast } {
    const grants = [...this.model.state.reservations.values()];
    const ids = new Map([...this.names].map(([id, name]) => [name, id]));
    const real = grants.map((grant) => ({ ...grant, reservation: ids.get(grant.reservation) ?? '' }));
    return { model: { identities: this.identities, grants }, postgres: { identities: this.identities, grants: real } };
  }

  private name({ event, reservation, job }: LedgerEntry): void {
    if (event !== 'granted' || reservation === null) return;
    const earlier = [...this.names.values()].filter((name) => name.startsWith(`${job}#`)).length;
    this.names.set(reservation, `${job}#${earlier + 1}`);
  }

  private renamed(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value).replace(/"([a-z0-9]{26})"/g, (text, id: string) => {
        const name = this.names.get(id);
        return name === undefined ? text : JSON.stringify(name);
      }),
    );
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
