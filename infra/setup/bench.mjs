/** `npm run bench -- <suite> [--json]`: installs what is missing and measures. */
import { existsSync } from 'node:fs';
import { ensurePrograms, ensureProject } from './ensure.mjs';
import { run, say } from './process.mjs';

const RUNNER = 'test/bench/run.mjs';

await ensureProject();
if (!existsSync(RUNNER)) {
  say('there are no benchmarks yet');
  process.exit(2);
}
await ensurePrograms();
process.exitCode = await run(process.execPath, [RUNNER, ...process.argv.slice(2)]);
