/**
 * `npm run goldens [-- vitest's arguments]`, `npm run pictures`: records what is checked in (golden histories, pictures of
 * Temporal's UI) anew, on real parts.
 */
import { ensurePrograms, ensureProject } from '../../infra/setup/ensure.mjs';
import { run } from '../../infra/setup/process.mjs';

const RUNNER = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/support/record.config.ts'];

await ensureProject();
await ensurePrograms();
process.exitCode = await run(process.execPath, [...RUNNER, ...process.argv.slice(2)]);
