import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { signalProcess } from './processes.js';
import { settledWithin } from './services/readiness.js';
import type { Stack } from './stack.js';

/** How long a command may take to end after it was asked to. */
const STOP_WITHIN_MS = 10_000;
const EXIT_NOT_RUN = 127;

export interface ForegroundCommand {
  /** The exit code; as in a shell 127 when it cannot be run, 128 and the signal's number when a signal ended it. */
  readonly exited: Promise<number>;
  stop(): Promise<void>;
}

/**
 * Runs a command on the stack, in this terminal: it stays in the terminal's foreground group, so that it can read
 * keys and gets Ctrl-C itself.
 */
export function runInForeground(
  command: string,
  args: readonly string[],
  stack: Pick<Stack, 'configuration' | 'watch'>,
): ForegroundCommand {
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, DARKROOM_CONFIG: stack.configuration },
  });
  if (child.pid !== undefined) stack.watch({ pid: child.pid, signal: 'SIGTERM', group: false });
  const exited = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`darkroom: cannot run ${command}: ${error.message}\n`);
      resolve(EXIT_NOT_RUN);
    });
    child.once('exit', (code, signal) => {
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
  return {
    exited,
    stop: async () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      // In a terminal Ctrl-C has reached the command already; a second one may mean "at once" to it.
      if (!process.stdin.isTTY) child.kill('SIGINT');
      try {
        await settledWithin(STOP_WITHIN_MS, exited);
      } catch {
        signalProcess(child.pid, 'SIGKILL');
        await exited;
      }
    },
  };
}
