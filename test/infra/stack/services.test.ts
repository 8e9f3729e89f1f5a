import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { Client as Minio } from 'minio';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  preparePrograms,
  ServiceError,
  startObjectStore,
  startPostgres,
  startTemporal,
  thisMachine,
} from '../../../infra/stack/index.js';
import { SEARCH_ATTRIBUTES } from '../../../workflows/contract/index.js';
import { isAlive, isListening } from './left-behind.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'darkroom-services-'));
  chmodSync(folder, 0o711);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('Postgres', () => {
  test('answers on loopback only, for its password only, and is gone after stop', async () => {
    const postgres = await startPostgres({ folder, database: 'shop' });
    await using(new pg.Client({ connectionString: postgres.url }), async (client) => {
      const { rows } = await client.query('select current_database() as name, inet_server_addr()::text as address');
      expect(rows).toEqual([{ name: 'shop', address: '127.0.0.1/32' }]);
    });
    const wrong = new URL(postgres.url);
    wrong.password = 'wrong';
    await expect(using(new pg.Client({ connectionString: wrong.href }), () => Promise.resolve())).rejects.toMatchObject(
      {
        code: '28P01',
      },
    );
    for (const address of otherAddresses()) {
      expect(await isListening(`postgres://${address}:${new URL(postgres.url).port}`)).toBe(false);
    }
    await postgres.stop();
    expect(isAlive(postgres.pid)).toBe(false);
    expect(await isListening(postgres.url)).toBe(false);
  });

  test('that cannot start says why, with the end of its log', async () => {
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    writeFileSync(join(folder, 'data', 'PG_VERSION'), '9.6\n');
    const failure = await startPostgres({ folder }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect((failure as ServiceError).message).toMatch(/^postgres: ended with exit code \d\n {2}\| .*data/);
  });
});

test('the object store takes objects with its own keys only, and is gone after stop', async () => {
  const store = await startObjectStore({ folder, bucket: 'pictures' });
  const client = (secretKey: string): Minio =>
    new Minio({
      endPoint: '127.0.0.1',
      port: Number(new URL(store.endpoint).port),
      useSSL: false,
      region: store.region,
      accessKey: store.accessKey,
      secretKey,
    });
  await client(store.secretKey).putObject('pictures', 'a/b.txt', 'bytes');
  expect((await client(store.secretKey).statObject('pictures', 'a/b.txt')).size).toBe(5);
  await expect(client('wrong').putObject('pictures', 'a/b.txt', 'x')).rejects.toMatchObject({
    code: 'SignatureDoesNotMatch',
  });
  await store.stop();
  expect(isAlive(store.pid)).toBe(false);
  expect(await isListening(store.endpoint)).toBe(false);
});

test('Temporal has our search attributes in every namespace, and is gone after stop', async () => {
  const { temporal: program } = await preparePrograms(thisMachine(() => undefined));
  const temporal = await startTemporal({ folder, program, namespaces: ['elsewhere'] });
  const connection = await Connection.connect({ address: temporal.address });
  for (const namespace of ['default', 'elsewhere']) {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(Object.values(SEARCH_ATTRIBUTES)));
  }
  await connection.close();
  await temporal.stop();
  expect(isAlive(temporal.pid)).toBe(false);
  expect(await isListening(temporal.uiUrl)).toBe(false);
});

async function using<T>(client: pg.Client, work: (client: pg.Client) => Promise<T>): Promise<T> {
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

function otherAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}
