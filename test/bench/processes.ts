import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from '../support/child-processes.js';

export interface ProcessSample {
  readonly pid: number;
  readonly name: string;
  readonly memoryMb: number;
  /** Open files, sockets and pipes. */
  readonly handles: number;
}

/** The process and all below it that run; one that ends meanwhile is left out. */
export function sampleTree(root: number): readonly ProcessSample[] {
  return pidsBelow(root).flatMap((pid) => sample(pid) ?? []);
}

function pidsBelow(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(pidsBelow)];
}

function sample(pid: number): ProcessSample | undefined {
  const folder = `/proc/${String(pid)}`;
  return unlessGone(() => {
    const status = readFileSync(join(folder, 'status'), 'utf8');
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
    const handles = readdirSync(join(folder, 'fd')).length;
    const name = nameOf(readFileSync(join(folder, 'cmdline'), 'utf8').split('\0'));
    return resident === undefined ? undefined : { pid, name, memoryMb: Number(resident) / 1024, handles };
  });
}

/** A program of ours by its path in the build, any other by its file's name. */
function nameOf(command: readonly string[]): string {
  const own = command.map((argument) => /dist\/(.+)\.js$/.exec(argument)?.[1]).find((path) => path !== undefined);
  return own ?? command[0]?.split('/').at(-1) ?? '';
}

/** Files and folders below, and the bytes of the files; what goes while it is looked at does not count. */
export function sizeOf(folder: string): { readonly entries: number; readonly bytes: number } {
  const total = { entries: 0, bytes: 0 };
  for (const entry of unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    const below = entry.isDirectory()
      ? sizeOf(path)
      : { entries: 0, bytes: unlessGone(() => lstatSync(path).size) ?? 0 };
    total.entries += 1 + below.entries;
    total.bytes += below.bytes;
  }
  return total;
}

function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
