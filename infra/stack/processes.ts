import { readdirSync, readFileSync } from 'node:fs';

/** One live process, as Linux' /proc shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  /** Clock ticks since boot. With the pid it names one process for ever; a pid alone is given out again. */
  readonly startTime: string;
}

/** Every process but zombies, which nothing can end; empty where there is no /proc. */
export function liveProcesses(): ProcessEntry[] {
  return processIds().flatMap((pid) => processEntry(pid) ?? []);
}

/** Undefined when the process is gone or a zombie, or where there is no /proc. */
export function processEntry(pid: number): ProcessEntry | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The second field is the name in brackets, which may hold spaces and brackets itself.
  const [state, , group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[16];
  if (state === 'Z' || group === undefined || startTime === undefined) return undefined;
  return { pid, group: Number(group), startTime };
}

/** True when the process was started with this variable in its environment; false when we may not know. */
export function hasEnvironment(pid: number, name: string, value: string): boolean {
  return readProc(pid, 'environ')?.split('\0').includes(`${name}=${value}`) ?? false;
}

/** Sends a signal to a process, or to a group when `pid` is negative. One that is gone is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
