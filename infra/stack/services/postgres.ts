import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { preparePostgres, type PostgresProgram } from '../programs/postgres.js';
import { onFreePorts } from './free-ports.js';
import { untilAnswered } from './readiness.js';
import { secretIn } from './secrets.js';
import { runToEnd, ServiceProcess } from './service-process.js';
import type { Service, ServiceOptions } from './service.js';

const READY_WITHIN_MS = 30_000;
const SUPERUSER = 'darkroom';

export interface PostgresOptions extends ServiceOptions {
  /** The database to make; the default is `darkroom`. */
  readonly database?: string;
  /** Keeps what was committed over a crash of the machine, at the price of speed. */
  readonly durable?: boolean;
  readonly maxConnections?: number;
}

export interface PostgresService extends Service {
  /** Connection URL with the superuser's password. */
  readonly url: string;
}

/** A real Postgres on loopback, reached by TCP and password only, with its data in the service's folder. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresService> {
  const { folder, database = 'darkroom' } = options;
  const program = preparePostgres(folder);
  const password = secretIn(folder, 'password');
  const data = join(folder, 'data');
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(program, data, password, options);
  return onFreePorts(1, async ([port]) => {
    const server = await ServiceProcess.start(serverProgram(program, data, String(port), options), options);
    const origin = `postgres://${SUPERUSER}:${password}@127.0.0.1:${String(port)}`;
    try {
      await server.whileAlive(
        'is not ready',
        untilAnswered(READY_WITHIN_MS, () => ensureDatabase(origin, database)),
      );
    } catch (error) {
      await server.stop();
      throw error;
    }
    return Object.assign(server, { url: `${origin}/${database}` });
  });
}

async function initialise(
  program: PostgresProgram,
  data: string,
  password: string,
  options: PostgresOptions,
): Promise<void> {
  mkdirSync(data, { mode: 0o700 });
  const passwordFile = join(options.folder, 'initdb-password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (program.identity) {
    for (const path of [data, passwordFile]) chownSync(path, program.identity.uid, program.identity.gid);
  }
  try {
    await runToEnd(
      {
        name: 'initdb',
        command: program.initdb,
        args: [
          ...[`--pgdata=${data}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
          ...['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
        ],
        ...(program.identity ? { identity: program.identity } : {}),
      },
      options,
    );
  } catch (error) {
    await rm(data, { recursive: true }); // Half made: the next start must not take it for a database.
    throw error;
  } finally {
    await rm(passwordFile);
  }
}

function serverProgram(program: PostgresProgram, data: string, port: string, options: PostgresOptions) {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(options.maxConnections ?? 200),
    // In the data folder instead of /dev/shm, which containers keep small and nobody would empty after a kill.
    dynamic_shared_memory_type: 'mmap',
    // Data that is thrown away at the end needs no write barrier.
    ...(options.durable === true ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return {
    name: 'postgres',
    command: program.postgres,
    args: ['-D', data, '-p', port, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    stopSignal: 'SIGINT', // Fast shutdown: sessions are ended, data are written.
    abortSignal: 'SIGQUIT', // Immediate shutdown: the next start recovers; a SIGKILL would leave shared memory.
    ...(program.identity ? { identity: program.identity } : {}),
  } as const;
}

async function ensureDatabase(origin: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${origin}/postgres`, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // A connection lost while waiting rejects the query too.
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
