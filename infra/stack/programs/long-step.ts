import { spawn } from 'node:child_process';
import type { Machine } from './machine.js';

const SAY_EVERY_MS = 5_000;
const OUTPUT_CHARS = 2_000;

/** Says that a step begins, every few seconds that it still runs, and how long it took. */
export async function longStep<T>(what: string, { report }: Machine, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const elapsed = (): string => `${((performance.now() - started) / 1_000).toFixed(0)} s`;
  report(`${what} …`);
  const timer = setInterval(() => {
    report(`${what}: ${elapsed()}`);
  }, SAY_EVERY_MS);
  try {
    const result = await work();
    report(`${what}: done after ${elapsed()}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/** Runs a command to its end. Rejects with the last of its output when it fails or takes too long. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { env, withinMs }: { env: NodeJS.ProcessEnv; withinMs: number },
): Promise<string> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: withinMs });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, exitSignal) => {
      resolve({ code: exitCode, signal: exitSignal });
    });
  });
  if (code === 0) return output;
  const how = signal ?? `exit code ${String(code)}`;
  throw new Error(`${command} ${args.join(' ')} failed (${how}): ${output.trim().slice(-OUTPUT_CHARS)}`);
}
