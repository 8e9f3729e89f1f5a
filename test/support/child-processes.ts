import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process that is gone, or is going, would have told. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const pids = (): number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
const statOf = (pid: number): string[] => {
  const text = orUndefined(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8')) ?? '';
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

/** Also false for one that has ended and that nobody has waited for yet. */
export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${String(pid)}`) && statOf(pid)[0] !== 'Z';
}

/** Direct children that run, the oldest first. */
export function childrenOf(parent: number): number[] {
  return pids()
    .map((pid) => ({ pid, stat: statOf(pid) }))
    .filter(({ stat }) => stat[0] !== 'Z' && stat[1] === String(parent))
    .sort((a, b) => Number(a.stat[19]) - Number(b.stat[19]))
    .map(({ pid }) => pid);
}

/** Processes whose command line names this path. */
export function processesNaming(path: string): number[] {
  return pids().filter((pid) =>
    orUndefined(() => readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8'))?.includes(path),
  );
}

/** The browser that a node started as this child: where Chromium is a script, as Debian's is, the script's own child. */
export function browserOf(child: number): number {
  const program = orUndefined(() => readlinkSync(`/proc/${String(child)}/exe`)) ?? '';
  return /\/(da|ba)?sh$/.test(program) ? (childrenOf(child)[0] ?? child) : child;
}

/** Whether the process has a TCP connection to one of these local ports. */
export function isConnectedTo(pid: number, ports: readonly number[]): boolean {
  const hex = new Set(ports.map((port) => port.toString(16).toUpperCase().padStart(4, '0')));
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  const inodes = new Set(
    lines
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, , remote = '', state, ...rest]) =>
        state === '01' && hex.has(remote.split(':')[1] ?? '') ? [`socket:[${rest[5] ?? ''}]`] : [],
      ),
  );
  const links = orUndefined(() => readdirSync(`/proc/${String(pid)}/fd`)) ?? [];
  return links.some((fd) => inodes.has(orUndefined(() => readlinkSync(`/proc/${String(pid)}/fd/${fd}`)) ?? ''));
}
