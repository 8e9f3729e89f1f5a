import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const FIRST_LOOK_MS = 1;
/** Until then a group that is still there is most likely being reaped, and reading all of /proc would cost more than the kill. */
const TELL_ZOMBIES_FROM_MS = 16;
const LONGEST_LOOK_MS = 250;
const PS_TIMEOUT_MS = 5_000;

export type ProcessFacts = { pid: number; group: number; zombie: boolean };

/** Sends SIGKILL to every member at once; a group that is already empty is fine. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    // EPERM: on macOS a group of zombies only. Whether it is really gone is for `groupGone` to say.
    const code = systemCode(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/**
 * Resolves when no member of the group runs any more. Zombies do not run: a container whose first process
 * reaps late (or never) must not keep a slot occupied. Rejects when the signal ends the wait.
 */
export async function groupGone(group: number, signal?: AbortSignal): Promise<void> {
  let wait = FIRST_LOOK_MS;
  while (wait < TELL_ZOMBIES_FROM_MS ? groupExists(group) : await groupRuns(group)) {
    await pause(wait, undefined, { signal });
    wait = Math.min(wait * 2, LONGEST_LOOK_MS);
    // A child that was being forked while the signal was delivered would live on.
    killGroup(group);
  }
}

export async function groupRuns(group: number): Promise<boolean> {
  if (!groupExists(group)) return false;
  const processes = await listProcesses();
  return processes.some((one) => one.group === group && !one.zombie);
}

/** Zombies count as well. */
function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
  return true;
}

export async function listProcesses(): Promise<ProcessFacts[]> {
  if (process.platform !== 'linux') return listByPs();
  const facts = await Promise.all((await processIds()).map(readFacts));
  return facts.filter((one) => one !== undefined);
}

/** Ids of the process groups with a member whose command line holds `text`. */
export async function groupsMentioning(text: string): Promise<number[]> {
  const groups = new Set<number>();
  for (const { pid, group, zombie } of await listProcesses()) {
    if (zombie || pid === process.pid) continue;
    if ((await commandLine(pid)).includes(text)) groups.add(group);
  }
  return [...groups];
}

/** Tells two processes with the same id apart: boot and start time. Undefined when there is no such process. */
export async function startMark(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return psField(pid, 'lstart=');
  const fields = await statFields(pid);
  const started = fields?.[19];
  if (started === undefined || fields?.[0] === 'Z') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()}/${started}`;
}

async function processIds(): Promise<number[]> {
  const names = await readdir('/proc');
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function readFacts(pid: number): Promise<ProcessFacts | undefined> {
  const fields = await statFields(pid);
  if (fields === undefined) return undefined;
  return { pid, group: Number(fields[2]), zombie: fields[0] === 'Z' || fields[0] === 'X' };
}

// Fields of /proc/<pid>/stat from the third on (state, parent, group, …); the second may hold blanks and brackets.
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return (await psField(pid, 'args=')) ?? '';
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  }
}

async function psField(pid: number, field: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', field, '-p', String(pid)], {
      timeout: PS_TIMEOUT_MS,
    });
    const text = stdout.trim();
    return text === '' ? undefined : text;
  } catch {
    // `ps` ends with 1 when there is no such process.
    return undefined;
  }
}

async function listByPs(): Promise<ProcessFacts[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,pgid=,stat='], { timeout: PS_TIMEOUT_MS });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns.length === 3)
    .map(([pid, group, state]) => ({
      pid: Number(pid),
      group: Number(group),
      zombie: state?.startsWith('Z') ?? false,
    }));
}

function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
