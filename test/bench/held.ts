import { createCapacity } from '../../scheduler/index.js';
import { leases } from '../scheduler/crowd.js';
import { node, requestOf, wideLimits, worker } from '../scheduler/scene.js';
import { openDatabase } from '../support/postgres.js';
import { quantile, type BenchReport, type BenchResult } from './report.js';

export { describe } from './report.js';

const WARM_UP = 1_000;
const MEASURED = 3_000;
/** Jobs while the transaction is open, before they are measured: each rewrites its rows in three transactions. */
const HELD = 21_000;
const MOST_TIMES = 2;

/** Q29: how long a grant takes while a transaction that nobody ends keeps Postgres from removing old rows; the peer is without. */
export async function measure(report: (line: string) => void): Promise<BenchReport> {
  const database = await openDatabase();
  try {
    const pool = database.connect(4);
    const capacity = createCapacity(pool);
    await capacity.applyLimits(wideLimits, leases);
    await capacity.applyNodes([node('n1'), node('n2')]);
    await capacity.registerWorker(worker('w1'));
    let count = 0;
    const grants = async (what: string, jobs: number): Promise<number[]> => {
      const times: number[] = [];
      for (let done = 0; done < jobs; done += 1) {
        count += 1;
        const startedAt = performance.now();
        const answer = await capacity.request(requestOf(`job${String(count)}`));
        times.push(performance.now() - startedAt);
        if (answer.state !== 'granted') throw new Error(`not granted: ${answer.state}`);
        await capacity.activate(answer.grant, 'bench');
        await capacity.release(answer.grant);
      }
      report(`${what}: P50 ${quantile(times, 0.5).toFixed(2)} ms, P99 ${quantile(times, 0.99).toFixed(2)} ms`);
      return times;
    };
    await grants('warming up', WARM_UP);
    const free = await grants('nothing held', MEASURED);
    const holder = await pool.connect();
    await holder.query('begin isolation level repeatable read');
    await holder.query('select from darkroom.control');
    await grants('held', HELD);
    const held = await grants('held, measured', MEASURED);
    await holder.query('rollback');
    holder.release();
    return { suite: 'held', results: [compare('P50', 0.5, held, free), compare('P99', 0.99, held, free)] };
  } finally {
    await database.close();
  }
}

function compare(name: string, share: number, held: readonly number[], free: readonly number[]): BenchResult {
  const [ours, peer] = [quantile(held, share), quantile(free, share)];
  const ratio = ours / peer;
  const goal = `at most ${String(MOST_TIMES)} times`;
  return { name: `${name} of a grant, ms`, ours, peer, ratio, goal, holds: ratio <= MOST_TIMES };
}
