/** `npm run goldens [-- vitest's arguments]`: records every golden history anew, on real parts. */
import { ensurePrograms, ensureProject } from '../../infra/setup/ensure.mjs';
import { run } from '../../infra/setup/process.mjs';

const RUNNER = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/replay/record.config.ts'];

await ensureProject();
await ensurePrograms();
process.exitCode = await run(process.execPath, [...RUNNER, ...process.argv.slice(2)]);
