/** `npm run chaos -- --seconds N | --minutes N [--seed N] [--without guard] [--json]`; exit code 1 on any violation. */
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const GUARDS = ['fence', 'quarantine', 'sweep'];
/** From here on each fault must have been inflicted, and must have hit, so many times. */
const LONG_FORM_SECONDS = 300;
const LEAST = 3;
/** And so many jobs must have been asked for: the callers wait for them, so fewer would mean that they hang. */
const LEAST_JOBS_A_MINUTE = 60;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    without: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = values.seconds === undefined ? Number(values.minutes ?? '1') * 60 : Number(values.seconds);
const seed = Number(values.seed);
if (!(seconds > 0) || !Number.isInteger(seed) || !(values.without === undefined || GUARDS.includes(values.without))) {
  process.stderr.write(`chaos: --seconds or --minutes above 0, a whole --seed, --without ${GUARDS.join(', ')}\n`);
  process.exit(2);
}
const loader = await createServer({
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, ws: false, watch: null },
});
const load = (name) => loader.ssrLoadModule(fileURLToPath(new URL(name, import.meta.url)));
const { runChaos } = await load('./chaos.ts');
const { describe } = await load('./report.ts');
const started = performance.now();
const report = await runChaos({
  seed,
  seconds,
  without: values.without,
  report: (line) => process.stderr.write(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} ${line}\n`),
});
if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else for (const line of describe(report)) process.stdout.write(`${line}\n`);
const shortfalls =
  seconds < LONG_FORM_SECONDS || values.without !== undefined
    ? []
    : [
        ...report.faults
          .filter(({ inflicted, hit }) => inflicted < LEAST || hit < LEAST)
          .map(({ fault }) => `${fault} was inflicted, or hit, under ${LEAST} times`),
        ...(report.jobs < (LEAST_JOBS_A_MINUTE * seconds) / 60 ? [`only ${report.jobs} jobs`] : []),
      ];
for (const shortfall of shortfalls) process.stderr.write(`chaos: ${shortfall}\n`);
await loader.close();
process.exit(report.violations.length === 0 && shortfalls.length === 0 ? 0 : 1);
