import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
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

const MARKER = 'owner.json';
/** A folder without a marker may belong to a process that is just starting. */
const UNMARKED_GRACE_MS = 60_000;
const KILL_TIMEOUT_MS = 10_000;

const Marker = z.object({ pid: z.int().positive(), started: z.string().min(1) });

/**
 * Makes a folder for this process, after removing what dead predecessors left under the same parent: first the processes
 * that they started, then their folders. The parent belongs to one machine (or pod).
 */
export async function openWorkFolder(parent: string, kind: WorkFolderKind, log: Logger): Promise<WorkFolder> {
  await mkdir(parent, { recursive: true });
  await removePredecessors(parent, kind, log);
  const path = await mkdtemp(join(parent, kind.prefix));
  await writeFile(join(path, MARKER), JSON.stringify({ pid: process.pid, started: await ownStart() }), { mode: 0o600 });
  let parts = 0;
  return {
    path,
    next: () => join(path, `p${String((parts += 1))}`),
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

async function ownStart(): Promise<string> {
  const mark = await startMark(process.pid);
  if (mark === undefined) throw new Error('the start time of this process cannot be read');
  return mark;
}

async function removePredecessors(parent: string, { prefix, mention }: WorkFolderKind, log: Logger): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    if (await isAbandoned(path)) await removeAbandoned(path, mention(path), log);
  }
}

// Only folders of our own user: the parent may be a /tmp that others can write to.
async function isAbandoned(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined || !facts.isDirectory() || facts.uid !== process.getuid?.()) return false;
  const marker = await readMarker(path);
  if (marker === undefined) return Date.now() - facts.mtimeMs > UNMARKED_GRACE_MS;
  return (await startMark(marker.pid)) !== marker.started;
}

async function readMarker(path: string): Promise<z.infer<typeof Marker> | undefined> {
  try {
    return Marker.parse(JSON.parse(await readFile(join(path, MARKER), 'utf8')));
  } catch {
    return undefined;
  }
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
