import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'minio';
import { named, startOwnProgram } from './own-program.js';
import { untilAnswered } from './readiness.js';
import { secretIn } from './secrets.js';
import type { Service, ServiceOptions } from './service.js';

const NAME = 'object-store';
const READY_WITHIN_MS = 20_000;
const REGION = 'us-east-1';

export interface ObjectStoreOptions extends ServiceOptions {
  /** The bucket to make; the default is `darkroom`. */
  readonly bucket?: string;
}

export interface ObjectStoreService extends Service {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** An S3 server on loopback that keeps its objects as files in the service's folder. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStoreService> {
  const { folder, bucket = 'darkroom' } = options;
  const objects = join(folder, 'objects');
  mkdirSync(objects, { recursive: true, mode: 0o700 });
  const accessKey = secretIn(folder, 'access-key');
  const secretKey = secretIn(folder, 'secret-key');
  return startOwnProgram(
    {
      name: NAME,
      path: 'infra/stack/services/object-store-main.js',
      env: {
        DARKROOM_OBJECT_STORE_FOLDER: objects,
        DARKROOM_OBJECT_STORE_BUCKET: bucket,
        DARKROOM_OBJECT_STORE_ACCESS_KEY: accessKey,
        DARKROOM_OBJECT_STORE_SECRET_KEY: secretKey,
      },
      readyWithinMs: READY_WITHIN_MS,
    },
    options,
    async (ready) => {
      const port = named(NAME, 'port', ready.port);
      const client = new Client({ endPoint: '127.0.0.1', port, useSSL: false, region: REGION, accessKey, secretKey });
      await untilAnswered(READY_WITHIN_MS, () => expectBucket(client, bucket));
      return { endpoint: `http://127.0.0.1:${String(port)}`, region: REGION, bucket, accessKey, secretKey };
    },
  );
}

async function expectBucket(client: Client, bucket: string): Promise<void> {
  if (!(await client.bucketExists(bucket))) throw new Error(`bucket ${bucket} does not exist`);
}
