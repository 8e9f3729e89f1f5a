import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STACK = fileURLToPath(new URL('../../infra/stack/main.js', import.meta.url));

/** Runs the local stack, a program of its own, in the foreground; signals to stop are its business. */
export async function up(options: readonly string[]): Promise<number> {
  const stack = spawn(process.execPath, [STACK, ...options], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // In a terminal Ctrl-C reaches the stack by itself; forwarded, it would arrive twice.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) stack.kill(signal);
    });
  }
  const [code, signal] = (await once(stack, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? (signal === 'SIGINT' ? 130 : 1);
}
