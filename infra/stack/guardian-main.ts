/** The guardian's process: `guardian-main.js <stack id>`, with a pipe from the stack as its standard input. */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { STACK_ID_VARIABLE, type GuardianMessage } from './guardian-message.js';
import { hasEnvironment, isErrno, liveProcesses, processEntry, signalProcess } from './processes.js';

type Watched = Extract<GuardianMessage, { tell: 'watch' }>;

/** How long programs may clean up after their own signal, before SIGKILL. */
const GRACE_MS = 3_000;
/** How long the system may take to end what got SIGKILL. */
const KILL_MS = 5_000;
const LOOK_EVERY_MS = 25;

const stackId = process.argv[2];
if (stackId === undefined) throw new Error('usage: guardian-main.js <stack id>');
const watched = new Map<number, Watched>();
const folders = new Set<string>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => undefined); // Only the end of the pipe ends the guardian.
}
for await (const line of createInterface({ input: process.stdin })) take(JSON.parse(line) as GuardianMessage);
await endProcesses(stackId);
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);

function take(message: GuardianMessage): void {
  switch (message.tell) {
    case 'watch':
      watched.set(message.pid, message);
      break;
    case 'release':
      watched.delete(message.pid);
      break;
    case 'removeFolder':
      folders.add(message.folder);
      break;
  }
}

async function endProcesses(id: string): Promise<void> {
  const unreported = new Set(remaining(id));
  for (const process of watched.values()) {
    if (isTakenOver(process)) continue;
    signalProcess(target(process), process.signal);
    unreported.delete(process.pid);
  }
  for (const left of unreported) signalProcess(left, 'SIGTERM');
  if (await allGoneWithin(GRACE_MS, id)) return;
  for (const left of remaining(id)) signalProcess(left, 'SIGKILL');
  if (await allGoneWithin(KILL_MS, id)) return;
  process.stderr.write(`darkroom: could not end the stack's processes ${remaining(id).join(', ')}\n`);
}

async function allGoneWithin(limitMs: number, id: string): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (remaining(id).length > 0) {
    if (performance.now() > end) return false;
    await pause(LOOK_EVERY_MS);
  }
  return true;
}

/**
 * What still has to be ended, as targets for a signal: the watched processes, their groups, and, as a second net
 * for what left its group or was never reported, whoever carries the stack's id in its environment.
 */
function remaining(id: string): number[] {
  const live = liveProcesses();
  if (live.length === 0) return [...watched.values()].map(target).filter(answersSignals);
  const ours = [...watched.values()].filter((process) => !isTakenOver(process));
  const pids = new Set(ours.map(({ pid }) => pid));
  const groups = new Set(ours.filter(({ group }) => group).map(({ pid }) => pid));
  return live
    .filter(({ pid }) => pid !== process.pid)
    .filter(({ pid, group }) => pids.has(pid) || groups.has(group) || hasEnvironment(pid, STACK_ID_VARIABLE, id))
    .map(({ pid }) => pid);
}

/** True when the process ended and the system gave its id to another one. */
function isTakenOver({ pid, startTime }: Watched): boolean {
  const now = processEntry(pid);
  return now !== undefined && startTime !== undefined && now.startTime !== startTime;
}

function target({ pid, group }: Watched): number {
  return group ? -pid : pid;
}

/** Where there is no /proc. */
function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false;
    throw error;
  }
}
