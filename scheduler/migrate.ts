import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { inTransaction } from './pool.js';

export interface MigrateOptions {
  /** Folder of the numbered `.sql` files. */
  readonly migrationsDir: string;
}

export interface Migrated {
  /** Names of the migrations that this call applied. */
  readonly applied: readonly string[];
  /** Whether this call put the functions of this version in place. */
  readonly functions: boolean;
}

interface SqlFile {
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

/** A migration that has been applied was edited afterwards: what the database holds is not what the file says. */
export class MigrationChangedError extends Error {
  readonly code = 'migration_changed';
  readonly migration: string;

  constructor(migration: string) {
    super(`migration ${migration} was changed after it had been applied; add a new one instead`);
    this.name = 'MigrationChangedError';
    this.migration = migration;
  }
}

/** Held by a transaction, never by a session: 'darkroom' as a number, the same for all migrators. */
const takeLock = `select pg_advisory_xact_lock(hashtextextended('darkroom.migrate', 0))`;
const functionsDir = fileURLToPath(new URL('./sql/', import.meta.url));
const functionsName = 'functions';

/**
 * Brings the database to this version: numbered migrations, each once and in a transaction of its own, then the functions
 * if they differ from those in place. Any number of callers may do it at once.
 *
 * @throws MigrationChangedError `migration_changed`
 */
export async function migrate(pool: pg.Pool, options: MigrateOptions): Promise<Migrated> {
  await inTransaction(pool, createRecord);
  const migrations = await readSqlFiles(options.migrationsDir);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (await inTransaction(pool, (client) => applyMigration(client, migration))) applied.push(migration.name);
  }
  const known = new Set([functionsName, ...migrations.map((migration) => migration.name)]);
  const files = await readSqlFiles(functionsDir);
  return { applied, functions: await inTransaction(pool, (client) => applyFunctions(client, files, known)) };
}

async function createRecord(client: pg.PoolClient): Promise<void> {
  await client.query(takeLock);
  await client.query('create schema if not exists darkroom');
  await client.query(`create table if not exists darkroom.migration (
    name text primary key,
    sha256 text not null,
    applied_at timestamptz not null default now()
  )`);
}

async function applyMigration(client: pg.PoolClient, migration: SqlFile): Promise<boolean> {
  await client.query(takeLock);
  const before = await recordedHash(client, migration.name);
  if (before === migration.sha256) return false;
  if (before !== undefined) throw new MigrationChangedError(migration.name);
  await client.query(migration.text);
  await client.query('insert into darkroom.migration (name, sha256) values ($1, $2)', [
    migration.name,
    migration.sha256,
  ]);
  return true;
}

/** A database that is ahead of this code keeps its functions: an old process that restarts must not bring old rules back. */
async function applyFunctions(
  client: pg.PoolClient,
  files: readonly SqlFile[],
  known: ReadonlySet<string>,
): Promise<boolean> {
  await client.query(takeLock);
  const recorded = await client.query<{ name: string }>('select name from darkroom.migration');
  if (recorded.rows.some((row) => !known.has(row.name))) return false;
  const sha256 = digest(files.map((file) => `${file.name} ${file.sha256}`).join('\n'));
  if ((await recordedHash(client, functionsName)) === sha256) return false;
  await dropFunctions(client);
  // Bodies may name functions of files that come later.
  await client.query('set local check_function_bodies = off');
  for (const file of files) await client.query(file.text);
  await client.query(
    `insert into darkroom.migration (name, sha256) values ($1, $2)
     on conflict (name) do update set sha256 = excluded.sha256, applied_at = now()`,
    [functionsName, sha256],
  );
  return true;
}

/** Dropped first, because `create or replace` can change neither arguments nor results. Trigger functions belong to migrations. */
async function dropFunctions(client: pg.PoolClient): Promise<void> {
  const existing = await client.query<{ signature: string }>(
    `select oid::regprocedure::text as signature from pg_proc
     where pronamespace = 'darkroom'::regnamespace and prorettype <> 'trigger'::regtype`,
  );
  for (const { signature } of existing.rows) await client.query(`drop function ${signature}`);
}

async function recordedHash(client: pg.PoolClient, name: string): Promise<string | undefined> {
  const found = await client.query<{ sha256: string }>('select sha256 from darkroom.migration where name = $1', [name]);
  return found.rows[0]?.sha256;
}

async function readSqlFiles(folder: string): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, sha256: digest(text) };
    }),
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
