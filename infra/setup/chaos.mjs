/** `npm run chaos -- --seconds N [--seed N] [--without guard] [--json]`: installs what is missing and inflicts faults. */
import { ensurePrograms, ensureProject } from './ensure.mjs';
import { runWithMounts } from './private-mounts.mjs';

await ensureProject();
await ensurePrograms();
process.exitCode = await runWithMounts(process.execPath, ['test/chaos/run.mjs', ...process.argv.slice(2)]);
