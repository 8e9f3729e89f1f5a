/** `npm run check [-- --fast]`: everything that CI asks of a change; --fast leaves the tests out. */
import { existsSync } from 'node:fs';
import { ensurePackages } from './ensure.mjs';
import { run, say } from './process.mjs';

const bin = (path) => `node_modules/${path}`;
const LAYERS = ['workflows', 'activities', 'scheduler', 'client', 'workers', 'infra', 'test'];
const CHECKS = [
  { name: 'format', args: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
  { name: 'lint', args: [bin('eslint/bin/eslint.js'), '.'] },
  { name: 'types', args: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'boundaries', args: [bin('dependency-cruiser/bin/dependency-cruise.mjs'), ...LAYERS] },
  { name: 'unused code', args: [bin('knip/bin/knip.js')] },
  { name: 'docs tables', args: ['docs/check.mjs'], onlyIf: 'docs/check.mjs' },
  { name: 'tests', args: ['infra/setup/test.mjs'], slow: true },
];

const fast = process.argv.includes('--fast');
await ensurePackages();
const failed = [];
// All of them, also after a failure: whoever mends wants to see everything at once.
for (const { name, args, onlyIf, slow } of CHECKS) {
  if ((slow && fast) || (onlyIf !== undefined && !existsSync(onlyIf))) continue;
  const started = performance.now();
  const code = await run(process.execPath, args);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  say(`${code === 0 ? 'passed' : 'FAILED'}: ${name} (${seconds} s)`);
  if (code !== 0) failed.push(name);
}
if (failed.length > 0) {
  say(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
