import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where programs are looked for, and who is told about long steps. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  /** Whether system packages may be installed. */
  readonly isRoot: boolean;
  readonly report: (line: string) => void;
}

export function thisMachine(report: (line: string) => void): Machine {
  return { env: process.env, isRoot: process.getuid?.() === 0, report };
}

/** Our folder for what was downloaded or built; nothing in it is needed twice. */
export function cacheFolder({ env }: Machine): string {
  const base = env['DARKROOM_CACHE'] ?? env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(base, 'darkroom');
}

/** The path of a program on PATH. */
export async function findOnPath(name: string, { env }: Machine): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, name);
    if (folder !== '' && (await isProgram(file))) return file;
  }
  return undefined;
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false; // Whatever the reason, it cannot be run.
  }
}
