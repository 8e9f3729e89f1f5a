import { Client, Connection, isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { createObjectStore, Deadline, messageOf } from '../../activities/slot.js';
import { createDarkroom, type Darkroom } from '../../client/index.js';
import { createCapacity, createPool, type Capacity } from '../../scheduler/index.js';
import type { StoredObject } from '../../workflows/contract/index.js';
import { readConfiguration, type Configuration } from '../configuration/index.js';
import { EXIT, Exit } from './exit.js';

/** The services of one deployment, connected as a command needs them and closed when it ends. */
export interface Services {
  readonly configuration: Configuration;
  readonly temporal: Client;
  readonly darkroom: Darkroom;
  readonly capacity: Capacity;
  /** Reads an object of a result. Fails with `storage_unavailable`. */
  fetchObject(key: string): Promise<Buffer>;
  /** A link that opens the object for an hour. */
  link(key: string): Promise<string>;
  /** A run's page in Temporal's UI, where the configuration names one. */
  runLink(id: string): Promise<string | undefined>;
}

/** gRPC: DEADLINE_EXCEEDED, UNAVAILABLE. */
const AWAY: ReadonlySet<number> = new Set([4, 14]);
const FETCH_MS = 30_000;
const LINK_SECONDS = 3_600;

/** Fails with exit code 3 when Temporal does not answer, at first or in the middle. */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const configuration = readConfiguration(process.env);
  const connection = await connect(configuration.temporal.address);
  const pool = createPool({
    connectionString: configuration.postgres.url,
    max: 2,
    applicationName: 'darkroom-cli',
    onIdleError: () => undefined, // The next statement takes another connection or fails itself.
  });
  try {
    const temporal = new Client({ connection, namespace: configuration.temporal.namespace });
    const store = createObjectStore(configuration.storage);
    return await work({
      configuration,
      temporal,
      darkroom: createDarkroom(temporal),
      capacity: createCapacity(pool),
      fetchObject: async (key) => {
        const deadline = Deadline.after(FETCH_MS, 'storage_unavailable');
        try {
          return await store.get(deadline, key);
        } finally {
          deadline.stop();
        }
      },
      link: (key) => store.link(key, LINK_SECONDS),
      runLink: async (id) => {
        const { ui, namespace } = configuration.temporal;
        if (ui === undefined) return undefined;
        const { runId } = await temporal.workflow.getHandle(id).describe();
        return new URL(`/namespaces/${namespace}/workflows/${encodeURIComponent(id)}/${runId}`, ui).href;
      },
    });
  } catch (error) {
    throw namingTemporal(error, configuration.temporal.address);
  } finally {
    await connection.close();
    await pool.end();
  }
}

/** Presigned links to objects, by their field. */
export async function linksTo(
  services: Services,
  objects: Readonly<Record<string, StoredObject>>,
): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(objects).map(async ([field, { key }]) => [field, await services.link(key)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Ends the command when Temporal knows no workflow of one of these ids. */
export async function refuseUnknown(
  { temporal }: Services,
  what: 'job' | 'workflow',
  ...ids: readonly string[]
): Promise<void> {
  for (const id of ids) {
    try {
      await temporal.workflow.getHandle(id).describe();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw new Exit(EXIT.usage, `No ${what} ${id}.`);
      throw error;
    }
  }
}

async function connect(address: string): Promise<Connection> {
  try {
    return await Connection.connect({ address, connectTimeout: '5s' });
  } catch (error) {
    throw unreachable(address, error);
  }
}

/** What the client makes of a server that has gone says neither which nor where; the client has tried for half a minute. */
export function namingTemporal(error: unknown, address: string): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && AWAY.has(cause.code) ? unreachable(address, cause) : error;
}

function unreachable(address: string, error: unknown): Exit {
  return new Exit(
    EXIT.unreachable,
    `Temporal does not answer at ${address}. Jobs go on once it does; ask again then. ${messageOf(error)}`,
  );
}
