import { Client, S3Error, type BucketItem, type ClientOptions } from 'minio';
import type { StoredObject } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
import { persist } from '../persist.js';
import { sha256 } from '../sha256.js';

export interface ObjectStoreConfiguration {
  /** `http://` or `https://` with host and port. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface ObjectStore {
  /** Both try again for 10 s while the store is not there or answers that it is busy. Fail with `storage_unavailable`. */
  put(deadline: Deadline, key: string, bytes: Buffer, contentType: string): Promise<StoredObject>;
  get(deadline: Deadline, key: string): Promise<Buffer>;
  /** A presigned link that opens the object for `seconds`. */
  link(key: string, seconds: number): Promise<string>;
  /** Up to `most` objects after a key, in the order of their keys. */
  list(deadline: Deadline, after: string, most: number): Promise<readonly ListedObject[]>;
  /** No effect on what is not there. */
  remove(deadline: Deadline, keys: readonly string[]): Promise<void>;
  /** Deletes all objects of a job; see `objectKey`. */
  removeFolder(deadline: Deadline, folder: string): Promise<void>;
  /** Whether the bucket answers. */
  ready(deadline: Deadline): Promise<boolean>;
}

export interface ListedObject {
  readonly key: string;
  /** By the store's clock. */
  readonly modifiedAt: Date;
}

/** A store that takes longer for one object hangs: the attempt must not wait for it to its own end. */
const REQUEST_MS = 30_000;
/** A store that restarts, or sheds load with 503, costs a rendered job some seconds and not its result. */
const PATIENCE_MS = 10_000;

const KEY = /^([0-9a-f]{64})\/([a-z0-9]{26})\/./;

/** Object keys hold the reservation, so that a late upload of a lost attempt lands beside the result, never over it. */
export function objectKey(job: string, reservation: string, name: string): string {
  return `${sha256(job)}/${reservation}/${name}`;
}

/** What a key says; undefined for an object that is not one of ours. */
export function partsOfKey(key: string): { readonly folder: string; readonly reservation: string } | undefined {
  const [, folder, reservation] = KEY.exec(key) ?? [];
  return folder === undefined || reservation === undefined ? undefined : { folder, reservation };
}

export function createObjectStore(configuration: ObjectStoreConfiguration, patienceMs = PATIENCE_MS): ObjectStore {
  const { bucket } = configuration;
  const client = new Client(clientOptions(configuration));
  // What the store has answered, as the bucket's absence, it would answer again; all else may have passed a moment later.
  const patience = { forMs: patienceMs, isFinal: (error: unknown) => error instanceof S3Error };
  const guarded = async <T>(deadline: Deadline, what: string, work: (bound: Deadline) => Promise<T>): Promise<T> => {
    const bound = deadline.within(REQUEST_MS, 'storage_unavailable');
    try {
      return await bound.race(work(bound));
    } catch (error) {
      if (error instanceof JobFailure) throw error;
      throw new JobFailure('storage_unavailable', `${what}: ${messageOf(error)}`, { cause: error });
    } finally {
      bound.stop();
    }
  };
  return {
    put: (deadline, key, bytes, contentType) =>
      guarded(deadline, 'put', async (bound) => {
        await persist(bound.signal, patience, () =>
          client.putObject(bucket, key, bytes, bytes.length, { 'Content-Type': contentType }),
        );
        return { key, contentType, bytes: bytes.length, sha256: sha256(bytes) };
      }),
    get: (deadline, key) =>
      guarded(deadline, 'get', (bound) =>
        persist(bound.signal, patience, async () => {
          const stream = await client.getObject(bucket, key);
          return Buffer.concat((await stream.toArray()) as Buffer[]);
        }),
      ),
    list: (deadline, after, most) =>
      guarded(deadline, 'list', () => listed(client.listObjectsV2(bucket, '', true, after), most)),
    remove: (deadline, keys) => guarded(deadline, 'remove', () => removeAll(client, bucket, keys)),
    removeFolder: (deadline, folder) =>
      guarded(deadline, 'remove', async () => {
        const objects = await listed(client.listObjectsV2(bucket, `${folder}/`, true), Infinity);
        const keys = objects.map(({ key }) => key);
        await removeAll(client, bucket, keys);
      }),
    link: (key, seconds) => client.presignedGetObject(bucket, key, seconds),
    ready: (deadline) => guarded(deadline, 'bucket', () => client.bucketExists(bucket)),
  };
}

/** Ends the listing as soon as it has enough. */
async function listed(stream: AsyncIterable<BucketItem>, most: number): Promise<ListedObject[]> {
  const objects: ListedObject[] = [];
  for await (const { name, lastModified } of stream) {
    if (name !== undefined) objects.push({ key: name, modifiedAt: new Date(lastModified) });
    if (objects.length >= most) break;
  }
  return objects;
}

/** In portions that the client makes itself. */
async function removeAll(client: Client, bucket: string, keys: readonly string[]): Promise<void> {
  const answers = await client.removeObjects(bucket, [...keys]);
  const refused = answers.flatMap((answer) => answer?.Error ?? []);
  if (refused[0] !== undefined) throw new Error(refused[0].Message ?? 'The store refused to delete an object.');
}

function clientOptions({ endpoint, region, accessKey, secretKey }: ObjectStoreConfiguration): ClientOptions {
  const url = new URL(endpoint);
  return {
    endPoint: url.hostname,
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    useSSL: url.protocol === 'https:',
    region,
    accessKey,
    secretKey,
    pathStyle: true,
    // Tried again here: the client's own way knows no connection that failed, and writes to the console.
    retryOptions: { disableRetry: true },
  };
}
