import { spawnSync } from 'node:child_process';
import { run } from './process.mjs';

/**
 * As `run`. Where this user may, as root may, the program gets mounts of its own, so that its tests can make small disks and
 * fill them: nobody else sees those, and they go with it however it ends. It is told by DARKROOM_PRIVATE_MOUNTS.
 *
 * @param {string} command
 * @param {string[]} args
 */
export async function runWithMounts(command, args) {
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return await run(command, args);
  process.env.DARKROOM_PRIVATE_MOUNTS = 'yes';
  // Unshare becomes the program, so a signal to it reaches the program.
  return await run('unshare', ['--mount', command, ...args]);
}
