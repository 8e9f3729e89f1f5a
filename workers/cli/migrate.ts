import { fileURLToPath } from 'node:url';
import { createPool, migrate } from '../../scheduler/index.js';
import { readConfiguration } from '../configuration/index.js';
import { EXIT } from './exit.js';
import { printJson, say } from './output.js';

/** By path: nothing imports `infra/`, and the scheduler does not know where a deployment keeps its migrations. */
const MIGRATIONS = fileURLToPath(new URL('../../infra/migrations', import.meta.url));

export async function runMigrations(options: { readonly json?: boolean }): Promise<number> {
  const { postgres } = readConfiguration(process.env);
  const pool = createPool({
    connectionString: postgres.url,
    max: 1,
    applicationName: 'darkroom-migrate',
    onIdleError: () => undefined, // The statement that runs fails itself.
    statementTimeoutMs: 600_000,
    lockTimeoutMs: 60_000,
  });
  try {
    const { applied } = await migrate(pool, { migrationsDir: MIGRATIONS });
    if (options.json) printJson({ applied });
    else say(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
    return EXIT.succeeded;
  } finally {
    await pool.end();
  }
}
