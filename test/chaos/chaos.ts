import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { sweepNow } from '../support/sweep.js';
import { startDeployment, type Deployment } from '../support/deployment.js';
import { violationsOf, wholeLedger, type Ended } from './checks.js';
import { faultsHere, inflict, type FaultName, type Strike } from './faults.js';
import { outcomeOf, startLoad, type LoadedJob } from './load.js';
import { randomFrom } from './random.js';
import { faultReports, outcomesOf, type ChaosReport } from './report.js';
import { SABOTAGE, type Guard } from './sabotage.js';

export interface ChaosOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly without?: Guard;
  readonly report?: (line: string) => void;
}

const LANES = 8;
const ASKED = { cancelled: 0.04, terminated: 0.03 };
/** Two at a time, each drawn after a rest, so that some faults meet and jobs still get through. */
const STRIKERS = 2;
const REST_MS = { least: 300, most: 2_500 };
/** A job has at most its total, and then its last session's hard expiry. */
const END_WITHIN_MS = 120_000;
const SABOTAGED_END_WITHIN_MS = 15_000;

export async function runChaos({
  seed,
  seconds,
  without,
  report = () => undefined,
}: ChaosOptions): Promise<ChaosReport> {
  const sabotage = without === undefined ? undefined : SABOTAGE[without];
  report('starting a deployment');
  const deployment = await startDeployment({
    prepare: async (pool) => {
      if (sabotage) await pool.query(sabotage.sql);
    },
  });
  try {
    const load = startLoad(deployment, randomFrom(seed), { lanes: LANES, ...ASKED });
    const strikes: Strike[] = [];
    const endsAt = performance.now() + seconds * 1_000;
    await Promise.all(
      Array.from({ length: STRIKERS }, async (_, index) => {
        const random = randomFrom(seed * 31 + index + 1);
        const draw = deck(sabotage?.faults ?? faultsHere(), random);
        while (performance.now() < endsAt) {
          await pause(REST_MS.least + random() * (REST_MS.most - REST_MS.least));
          await survive(() =>
            inflict(draw(), deployment, random, (strike) => {
              strikes.push(strike);
              report(`${strike.fault}: ${String(strike.hit.length)} hit`);
            }),
          );
        }
      }),
    );
    report(`${String(load.jobs.length)} jobs so far; waiting for their ends`);
    const endWithinMs = without === undefined ? END_WITHIN_MS : SABOTAGED_END_WITHIN_MS;
    await load.stop(endWithinMs);
    const jobs = await outcomes(deployment, load.jobs);
    const kept = await untilQuiet(deployment, without === undefined ? 40_000 : 3_000);
    report('sweeping and checking');
    // The second run sees what the first one made an orphan.
    for (let runs = 0; runs < 2; runs += 1) report(`swept: ${JSON.stringify((await sweepNow(deployment)).objects)}`);
    const ledger = await wholeLedger(deployment);
    return {
      seed,
      seconds,
      without: without ?? null,
      jobs: jobs.length,
      outcomes: outcomesOf(jobs),
      faults: faultReports(strikes, ledger),
      violations: [...kept, ...(await violationsOf(deployment, jobs, ledger))],
    };
  } finally {
    await deployment.close();
  }
}

/** Every fault once in an order of chance, then again: none is left out in a short run. */
function deck(faults: readonly FaultName[], random: () => number): () => FaultName {
  let cards: FaultName[] = [];
  return () => {
    if (cards.length === 0) {
      cards = [...faults];
      for (let last = cards.length - 1; last > 0; last -= 1) {
        const other = Math.floor(random() * (last + 1));
        [cards[last], cards[other]] = [cards[other] ?? cards[0] ?? 'kill slot', cards[last] ?? 'kill slot'];
      }
    }
    return cards.pop() ?? 'kill slot';
  };
}

/** The driver too asks Postgres, which may just be away: then it strikes next time. */
async function survive(strike: () => Promise<void>): Promise<void> {
  try {
    await strike();
  } catch (error) {
    process.stderr.write(`no strike: ${String(error)}\n`);
  }
}

async function outcomes(deployment: Deployment, jobs: readonly LoadedJob[]): Promise<Ended[]> {
  const signal = AbortSignal.timeout(10_000);
  setMaxListeners(0, signal); // One a job.
  return await Promise.all(jobs.map(async (job) => ({ ...job, outcome: await outcomeOf(deployment, job.id, signal) })));
}

/** Everything is given back, before the schedule has swept, and every process is up; what is not by then is a violation. */
async function untilQuiet({ capacity, nodes, workers }: Deployment, withinMs: number): Promise<string[]> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const { running, waiting, reservations } = await capacity.snapshot();
    const up = [...nodes, ...workers].every(({ process }) => process.current !== undefined);
    if (up && running + waiting.interactive + waiting.background === 0) return [];
    if (performance.now() > endsAt) {
      const held = reservations.map(
        ({ reservation, state, ageMs }) => `held: ${reservation} ${state} for ${String(ageMs)} ms`,
      );
      return up ? held : [...held, 'held: a process is not up again'];
    }
    await pause(200);
  }
}
