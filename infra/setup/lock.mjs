import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;
const SAY_EVERY_MS = 5_000;

/**
 * Runs `work` while no other process holds the same lock file. A holder that died is recognised by its process id
 * and start time, and its lock is taken over. There is no upper bound to the wait: the holder is alive, and what it
 * does is what this process would have to do.
 *
 * @template T
 * @param {string} path the lock file; its folder is made
 * @param {(line: string) => void} report says now and then whom the wait is for
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, report, work) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${randomBytes(6).toString('hex')}`;
  // Written in full before it gets the lock's name, so that nobody reads half a lock.
  writeFileSync(mine, `${process.pid} ${startTime(process.pid) ?? ''}`);
  try {
    await acquire(mine, path, report);
  } finally {
    rmSync(mine);
  }
  try {
    return await work();
  } finally {
    rmSync(path);
  }
}

async function acquire(mine, path, report) {
  for (let waitedMs = 0; !tryLink(mine, path); waitedMs += LOOK_EVERY_MS) {
    const holder = readIfThere(path);
    if (holder === undefined) continue;
    if (isDead(holder)) {
      removeStale(path, holder);
      continue;
    }
    if (waitedMs % SAY_EVERY_MS === 0) report(`waiting for process ${holder.split(' ')[0]}, which does the same`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Linking fails when the name exists, in one step, also over NFS. */
function tryLink(mine, path) {
  try {
    linkSync(mine, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Another waiter may have taken the stale lock over in the meantime: then what was moved is put back. */
function removeStale(path, holder) {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== holder) tryLink(aside, path);
  rmSync(aside);
}

function isDead(holder) {
  const [pid, started] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
  return started !== '' && startTime(pid) !== started;
}

/** Field 22 of /proc/<pid>/stat; undefined where there is none. */
function startTime(pid) {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
}
