import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Takes every byte and every name that is free on a small file system, until the answer is called. */
export async function fillDisk(disk: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(disk, 'full-'));
  try {
    await writeFile(join(folder, 'bytes'), Buffer.alloc(8 * 1_024 * 1_024));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  try {
    for (let name = 0; ; name += 1) await writeFile(join(folder, String(name)), '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  return () => rm(folder, { recursive: true });
}
