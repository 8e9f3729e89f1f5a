import { Client, type ClientOptions } from 'minio';
import type { StoredObject } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
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
  /** Fails with `storage_unavailable`. */
  put(deadline: Deadline, key: string, bytes: Buffer, contentType: string): Promise<StoredObject>;
  get(deadline: Deadline, key: string): Promise<Buffer>;
  /** A presigned link that opens the object for `seconds`. */
  link(key: string, seconds: number): Promise<string>;
  /** Whether the bucket answers. */
  ready(deadline: Deadline): Promise<boolean>;
}

/** A store that takes longer for one object hangs: the attempt must not wait for it to its own end. */
const REQUEST_MS = 30_000;

/** Object keys hold the reservation, so that a late upload of a lost attempt lands beside the result, never over it. */
export function objectKey(job: string, reservation: string, name: string): string {
  return `${sha256(job)}/${reservation}/${name}`;
}

export function createObjectStore(configuration: ObjectStoreConfiguration): ObjectStore {
  const { bucket } = configuration;
  const client = new Client(clientOptions(configuration));
  const guarded = async <T>(deadline: Deadline, what: string, work: () => Promise<T>): Promise<T> => {
    const bound = deadline.within(REQUEST_MS, 'storage_unavailable');
    try {
      return await bound.race(work());
    } catch (error) {
      if (error instanceof JobFailure) throw error;
      throw new JobFailure('storage_unavailable', `${what}: ${messageOf(error)}`, { cause: error });
    } finally {
      bound.stop();
    }
  };
  return {
    put: (deadline, key, bytes, contentType) =>
      guarded(deadline, 'put', async () => {
        await client.putObject(bucket, key, bytes, bytes.length, { 'Content-Type': contentType });
        return { key, contentType, bytes: bytes.length, sha256: sha256(bytes) };
      }),
    get: (deadline, key) =>
      guarded(deadline, 'get', async () => {
        const stream = await client.getObject(bucket, key);
        return Buffer.concat((await stream.toArray()) as Buffer[]);
      }),
    link: (key, seconds) => client.presignedGetObject(bucket, key, seconds),
    ready: (deadline) => guarded(deadline, 'bucket', () => client.bucketExists(bucket)),
  };
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
  };
}
