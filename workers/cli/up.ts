import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const STACK = fileURLToPath(new URL('../../infra/stack/main.js', import.meta.url));

/** Runs the local stack, a program of its own, in the foreground. Ctrl-C reaches it as it reaches this process. */
export async function up(options: readonly string[]): Promise<number> {
  const stack = spawn(process.execPath, [STACK, ...options], { stdio: 'inherit' });
  const wait = (): void => undefined;
  process.on('SIGINT', wait);
  process.on('SIGTERM', () => stack.kill('SIGTERM'));
  const [code, signal] = (await once(stack, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? (signal === 'SIGINT' ? 130 : 1);
}
