/** `npm run bench -- <suite> [--json]`: prints a table, or one JSON document; exit code 1 when a goal is missed. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [suite = '', ...options] = process.argv.slice(2);
const file = fileURLToPath(new URL(`./${suite}.ts`, import.meta.url));
if (!/^[a-z]+$/.test(suite) || !existsSync(file)) {
  process.stderr.write('bench: name a suite: single\n');
  process.exit(2);
}
const { module } = await runnerImport(file);
const report = await module.measure((line) => process.stderr.write(`${line}\n`));
if (options.includes('--json')) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else for (const line of module.describe(report)) process.stdout.write(`${line}\n`);
process.exit(report.results.every(({ holds }) => holds) ? 0 : 1);
