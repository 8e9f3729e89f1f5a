/** `npm run chaos -- --seconds N | --minutes N [--seed N] [--without guard] [--json]`; exit code 1 on any violation. */
import { spawn, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const GUARDS = ['fence', 'quarantine', 'sweep'];
/** From here on each fault must have been inflicted, and must have hit, so many times. */
const LONG_FORM_SECONDS = 300;
const LEAST = 3;

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
// As root the run gets mounts of its own, for disks that can be filled; they go with it however it ends.
const unshare = ['--mount', process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
if (process.env.DARKROOM_CHAOS_MOUNTS === undefined && spawnSync('unshare', ['--mount', 'true']).status === 0) {
  const env = { ...process.env, DARKROOM_CHAOS_MOUNTS: 'private' };
  // Unshare becomes the program, so a signal to it reaches the run.
  const child = spawn('unshare', unshare, { stdio: 'inherit', env });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
  process.exit(await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1))));
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
const rare =
  seconds < LONG_FORM_SECONDS || values.without !== undefined
    ? []
    : report.faults.filter(({ inflicted, hit }) => inflicted < LEAST || hit < LEAST);
for (const { fault } of rare) process.stderr.write(`chaos: ${fault} was inflicted, or hit, under ${LEAST} times\n`);
await loader.close();
process.exit(report.violations.length === 0 && rare.length === 0 ? 0 : 1);
