/** `npm run bench -- <suite> [--json]`: prints a table, or one JSON document; exit code 1 when a goal is missed. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const [suite = '', ...options] = process.argv.slice(2);
const file = fileURLToPath(new URL(`./${suite}.ts`, import.meta.url));
if (!/^[a-z]+$/.test(suite) || !existsSync(file)) {
  process.stderr.write('bench: name a suite: single, growth, held\n');
  process.exit(2);
}
// The loader stays open while the suite runs: what it measures imports some modules only when it needs them.
const loader = await createServer({
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, ws: false, watch: null },
});
const module = await loader.ssrLoadModule(file);
const report = await module.measure((line) => process.stderr.write(`${line}\n`));
if (options.includes('--json')) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else for (const line of module.describe(report)) process.stdout.write(`${line}\n`);
await loader.close();
process.exit(report.results.every(({ holds }) => holds) ? 0 : 1);
