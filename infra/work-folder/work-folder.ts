import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { groupGone, groupsMentioning, killGroup, startMark } from './process-group.js';

/** Where a process keeps temporary files that it, and what it starts, cannot be trusted to remove. */
export interface WorkFolder {
  readonly path: string;
  /** A path for the next part, not made yet; never given twice. */
  next(): string;
  remove(): Promise<void>;
}

export interface WorkFolderKind {
  /** Of the folder's name: tells the folders of one program from those of others. */
  readonly prefix: string;
  /** What the command lines of the owner's child processes hold, given the folder's path. */
  readonly mention: (path: string) => string;
}

const KILL_TIMEOUT_MS = 10_000;

/**
 * Makes a folder for this process, after removing what dead predecessors left under the same parent: first the processes
 * that they started, then their folders. The parent belongs to one machine (or pod). A folder's name tells its owner, so
 * that there is no moment in which a folder has none: `<prefix><process id>-<its start>-<random>`.
 */
export async function openWorkFolder(parent: string, kind: WorkFolderKind, log: Logger): Promise<WorkFolder> {
  await mkdir(parent, { recursive: true });
  await removePredecessors(parent, kind, log);
  const started = await startOf(process.pid);
  if (started === undefined) throw new Error('the start time of this process cannot be read');
  const path = await mkdtemp(join(parent, `${kind.prefix}${String(process.pid)}-${started}-`));
  let parts = 0;
  return {
    path,
    next: () => join(path, `p${String((parts += 1))}`),
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

/** Fits a file name; undefined when there is no such process. */
async function startOf(pid: number): Promise<string | undefined> {
  const mark = await startMark(pid);
  return mark === undefined ? undefined : createHash('sha256').update(mark).digest('hex').slice(0, 12);
}

async function removePredecessors(parent: string, { prefix, mention }: WorkFolderKind, log: Logger): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    if (await isAbandoned(path, name.slice(prefix.length))) await removeAbandoned(path, mention(path), log);
  }
}

// Only folders of our own user: the parent may be a /tmp that others can write to.
async function isAbandoned(path: string, owner: string): Promise<boolean> {
  const [, pid, started] = /^(\d+)-([0-9a-f]{12})-\w{6}$/.exec(owner) ?? [];
  if (pid === undefined) return false;
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined || !facts.isDirectory() || facts.uid !== process.getuid?.()) return false;
  return (await startOf(Number(pid))) !== started;
}

// The command line is the record: a child of that process names something in that folder, whatever else was lost.
async function removeAbandoned(path: string, mention: string, log: Logger): Promise<void> {
  const groups = await groupsMentioning(mention);
  for (const group of groups) killGroup(group);
  const bound = AbortSignal.timeout(KILL_TIMEOUT_MS);
  try {
    await Promise.all(groups.map((group) => groupGone(group, bound)));
  } catch (error) {
    throw new Error(`processes of a dead predecessor do not die: ${groups.join(', ')}`, { cause: error });
  }
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  log.info({ path, groups }, 'removed what a dead predecessor left');
}
