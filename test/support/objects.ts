import type { Client as Minio } from 'minio';

/** Keys of all objects in the bucket. */
export async function keysIn(store: Minio, bucket: string): Promise<readonly string[]> {
  const listed = (await store.listObjectsV2(bucket, '', true).toArray()) as { name?: string }[];
  return listed.flatMap(({ name }) => name ?? []);
}
