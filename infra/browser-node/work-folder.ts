import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { groupGone, groupsMentioning, killGroup, startMark } from './chromium/process-group.js';
import { within } from './deadline.js';
import { NodeError } from './errors.js';

export type WorkFolder = {
  readonly path: string;
  /** A path for the next profile; never given twice. */
  nextProfile(): string;
  remove(): Promise<void>;
};

const PREFIX = 'darkroom-node-';
const MARKER = 'node.json';
/** A folder without a marker may belong to a node that is just starting. */
const UNMARKED_GRACE_MS = 60_000;
const KILL_TIMEOUT_MS = 10_000;

const Marker = z.object({ pid: z.int().positive(), started: z.string().min(1) });

/**
 * Makes the folder in which this node keeps its profiles, after removing what dead predecessors left
 * under the same parent: their browsers, then their folders. The parent belongs to one machine (or pod).
 *
 * @throws NodeError `work_folder_unusable`
 */
export async function openWorkFolder(parent: string, log: Logger): Promise<WorkFolder> {
  try {
    await mkdir(parent, { recursive: true });
    await removePredecessors(parent, log);
    const path = await mkdtemp(join(parent, PREFIX));
    await writeFile(join(path, MARKER), JSON.stringify({ pid: process.pid, started: await ownStart() }), {
      mode: 0o600,
    });
    let profiles = 0;
    return {
      path,
      nextProfile: () => join(path, `p${(profiles += 1)}`),
      remove: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
    };
  } catch (error) {
    if (error instanceof NodeError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new NodeError('work_folder_unusable', `work folder under ${parent}: ${why}`, { cause: error });
  }
}

async function ownStart(): Promise<string> {
  const mark = await startMark(process.pid);
  if (mark === undefined) throw new NodeError('work_folder_unusable', 'the start time of this process cannot be read');
  return mark;
}

async function removePredecessors(parent: string, log: Logger): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    if (await isAbandoned(path)) await removeAbandoned(path, log);
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

// The command line is the record: a browser of that node names a profile in that folder, whatever else was lost.
async function removeAbandoned(path: string, log: Logger): Promise<void> {
  const groups = await groupsMentioning(`--user-data-dir=${path}/`);
  for (const group of groups) killGroup(group);
  await within(KILL_TIMEOUT_MS, Promise.all(groups.map(groupGone)), () => {
    return new NodeError('work_folder_unusable', `browsers of a dead node do not die: ${groups.join(', ')}`);
  });
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  log.info({ path, groups }, 'removed what a dead node left');
}
