import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno } from '../processes.js';

/** A secret that is the same at every start on kept data: read from `<folder>/<name>`, made at the first start. */
export function secretIn(folder: string, name: string): string {
  const file = join(folder, name);
  try {
    writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8');
}
