/**
 * `npm run full -- <form>`: the long forms, which `npm test` leaves out.
 * chaos: the chaos suite with three seeds of 60 s.
 * growth: a thousand jobs one after another, and what each process has more after them.
 * nodes: every end-to-end test on a real Browserless, and on one beside Darkroom's own node.
 */
import { ensurePrograms, ensureProject } from './ensure.mjs';
import { runWithMounts } from './private-mounts.mjs';
import { run, say } from './process.mjs';

const SEEDS = ['11', '12', '13'];

const FORMS = {
  chaos: async () => {
    const failed = [];
    for (const seed of SEEDS) {
      say(`chaos with seed ${seed}`);
      const chaos = ['test/chaos/run.mjs', '--seconds', '60', '--seed', seed, ...options];
      if ((await runWithMounts(process.execPath, chaos)) !== 0) failed.push(`seed ${seed}`);
    }
    return failed;
  },
  growth: async () => {
    const growth = ['test/bench/run.mjs', 'growth', ...options];
    return (await run(process.execPath, growth)) === 0 ? [] : ['growth'];
  },
  nodes: async () => {
    const failed = [];
    for (const nodes of ['browserless', 'mixed']) {
      say(`end-to-end tests on ${nodes} nodes`);
      process.env.DARKROOM_TEST_NODES = nodes;
      const tests = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'e2e', ...options];
      if ((await runWithMounts(process.execPath, tests)) !== 0) failed.push(nodes);
    }
    return failed;
  },
};

const [form = '', ...options] = process.argv.slice(2);
if (!Object.hasOwn(FORMS, form)) {
  say(`name a form: ${Object.keys(FORMS).join(', ')}`);
  process.exit(2);
}
await ensureProject();
await ensurePrograms();
const failed = await FORMS[form]();
if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
