/** `npm test [-- vitest's arguments]`: installs what is missing and runs the tests. */
import { ensurePrograms, ensureProject } from './ensure.mjs';
import { runWithMounts } from './private-mounts.mjs';

await ensureProject();
await ensurePrograms();
process.exitCode = await runWithMounts(process.execPath, [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...process.argv.slice(2),
]);
