import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';

const FC_LIST_TIMEOUT_MS = 5_000;

/**
 * SHA-256 of the installed fonts by name, style and version, or null where `fc-list` cannot tell.
 * Paths are left out, so that the same fonts give the same hash on every machine.
 */
export async function fontSetHash(): Promise<string | null> {
  try {
    const format = '%{family}|%{style}|%{fontversion}\n';
    const { stdout } = await promisify(execFile)('fc-list', ['--format', format], { timeout: FC_LIST_TIMEOUT_MS });
    const lines = stdout.split('\n').filter((line) => line !== '');
    return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex');
  } catch {
    // No fontconfig, or one that hangs: a result then simply says that its fonts are unknown.
    return null;
  }
}
