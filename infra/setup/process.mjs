import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** What stops a set-up; its message says what to do. */
export class SetupFailure extends Error {}

/** One line for the person who waits, on standard error: standard output belongs to the command's result. */
export function say(line) {
  process.stderr.write(`darkroom: ${line}\n`);
}

/**
 * Runs a program in this terminal to its end and returns its exit code, 128 and the signal's number when a signal
 * ended it. This process outlives it: a signal to stop is the program's business.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ stdout?: 'inherit' | 'ignore' | 'stderr', cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export async function run(command, args, { stdout = 'inherit', cwd = process.cwd() } = {}) {
  const out = stdout === 'stderr' ? process.stderr.fd : stdout;
  const child = spawn(command, args, { stdio: ['inherit', out, 'inherit'], cwd });
  // In a terminal Ctrl-C goes to every process of the foreground group; forwarded, it would arrive twice.
  const forward = (signal) => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(signal === null ? code : 128 + constants.signals[signal]));
    });
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}
