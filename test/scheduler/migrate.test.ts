import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCapacity, defaultLeases, migrate, MigrationChangedError, normalLimits } from '../../scheduler/index.js';
import { migrationsDir, openDatabase, type TestDatabase } from '../support/postgres.js';
import { requestOf } from './scene.js';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await openDatabase({ empty: true });
  folder = await mkdtemp(join(tmpdir(), 'darkroom-migrations-'));
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

test('any number of migrators at once apply each migration and the functions once', async () => {
  const pool = database.connect(8);
  const answers = await Promise.all(Array.from({ length: 8 }, () => migrate(pool, { migrationsDir })));
  const applied = answers.flatMap((answer) => answer.applied);
  expect(applied.length).toBeGreaterThan(0);
  expect(new Set(applied).size).toBe(applied.length);
  expect(answers.filter((answer) => answer.functions)).toHaveLength(1);
  expect(await migrate(pool, { migrationsDir })).toEqual({ applied: [], functions: false });
});

test('a fresh database has the limits and leases of a normal deployment', async () => {
  const pool = database.connect();
  await migrate(pool, { migrationsDir });
  expect((await createCapacity(pool).snapshot()).limits).toEqual(normalLimits);
  const { rows } = await pool.query('select lease_ms, connect_ms, worker_suspect_ms from darkroom.settings');
  expect(rows).toEqual([
    {
      lease_ms: defaultLeases.leaseMs,
      connect_ms: defaultLeases.connectMs,
      worker_suspect_ms: defaultLeases.workerSuspectMs,
    },
  ]);
});

/** The real migrations, which the functions need, and then those of the test. */
async function withMigration(name: string, text: string): Promise<void> {
  await cp(migrationsDir, folder, { recursive: true });
  await writeFile(join(folder, name), text);
}

test('a migration that was changed after it had been applied is an error by code', async () => {
  const pool = database.connect();
  await withMigration('9001_first.sql', 'create table darkroom.first (id int)');
  expect((await migrate(pool, { migrationsDir: folder })).applied).toContain('9001_first.sql');
  await withMigration('9001_first.sql', 'create table darkroom.first (id bigint)');
  const error: unknown = await migrate(pool, { migrationsDir: folder }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MigrationChangedError);
  expect(error).toMatchObject({ code: 'migration_changed', migration: '9001_first.sql' });
});

test('a migration that fails leaves nothing behind, and those before it stay', async () => {
  const pool = database.connect();
  await withMigration('9001_first.sql', 'create table darkroom.first (id int)');
  await withMigration('9002_second.sql', 'create table darkroom.second (id int); select 1 / 0');
  await expect(migrate(pool, { migrationsDir: folder })).rejects.toThrow('division by zero');
  const { rows } = await pool.query(`select name from darkroom.migration where name like '9%'`);
  expect(rows).toEqual([{ name: '9001_first.sql' }]);
  await withMigration('9002_second.sql', 'create table darkroom.second (id int)');
  expect((await migrate(pool, { migrationsDir: folder })).applied).toEqual(['9002_second.sql']);
});

test('functions that differ from those of this version are replaced', async () => {
  const pool = database.connect();
  await migrate(pool, { migrationsDir });
  await pool.query(`create function darkroom.left_over() returns int language sql as 'select 1'`);
  await pool.query(`update darkroom.migration set sha256 = 'of another version' where name = 'functions'`);
  expect(await migrate(pool, { migrationsDir })).toEqual({ applied: [], functions: true });
  const { rows } = await pool.query(`select from pg_proc where proname = 'left_over'`);
  expect(rows).toEqual([]);
  expect(await createCapacity(pool).request(requestOf('a'))).toMatchObject({ state: 'queued' });
});

test('a database that is ahead of this version keeps its functions', async () => {
  const pool = database.connect();
  await migrate(pool, { migrationsDir });
  await pool.query(`insert into darkroom.migration (name, sha256) values ('9999_newer.sql', 'x')`);
  await pool.query(`update darkroom.migration set sha256 = 'of a newer version' where name = 'functions'`);
  expect(await migrate(pool, { migrationsDir })).toEqual({ applied: [], functions: false });
});

test('the ledger cannot be changed', async () => {
  const pool = database.connect();
  await migrate(pool, { migrationsDir });
  await createCapacity(pool).request(requestOf('a'));
  await expect(pool.query(`update darkroom.ledger set reason = 'another'`)).rejects.toThrow('append only');
  await expect(pool.query('delete from darkroom.ledger')).rejects.toThrow('append only');
});
