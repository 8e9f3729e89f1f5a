/** `npm run check [-- --fast]`: everything that CI asks of a change; --fast leaves the tests out. */
import { existsSync } from 'node:fs';
import { ensurePackages } from './ensure.mjs';
import { run, say } from './process.mjs';

const bin = (path) => `node_modules/${path}`;
const LAYERS = ['workflows', 'activities', 'scheduler', 'client', 'workers', 'infra', 'test'];
// The longest first: two at a time then end at about the same time.
const CHECKS = [
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '.'] },
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
  { name: 'types', args: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'boundaries', args: [bin('dependency-cruiser/bin/dependency-cruise.mjs'), ...LAYERS] },
  { name: 'unused code', args: [bin('knip/bin/knip.js')] },
  { name: 'docs tables', args: ['docs/check.mjs'], onlyIf: 'docs/check.mjs' },
];
const TESTS = { name: 'tests', args: ['infra/setup/test.mjs'] };

const fast = process.argv.includes('--fast');
await ensurePackages();
const failed = [];

// All of them, also after a failure: whoever mends wants to see everything at once.
const left = CHECKS.filter(({ onlyIf }) => onlyIf === undefined || existsSync(onlyIf));
await Promise.all([lane(), lane()]);
if (!fast) await check(TESTS);
if (failed.length > 0) {
  say(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

async function lane() {
  for (let next = left.shift(); next !== undefined; next = left.shift()) await check(next);
}

async function check({ name, args }) {
  const started = performance.now();
  const code = await run(process.execPath, args);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  say(`${code === 0 ? 'passed' : 'FAILED'}: ${name} (${seconds} s)`);
  if (code !== 0) failed.push(name);
}
