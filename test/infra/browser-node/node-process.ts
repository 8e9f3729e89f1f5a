import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../dist/infra/browser-node/main.js', import.meta.url));

export type NodeProcess = {
  child: ChildProcess;
  /** Fails when the process ends without having been ready. */
  ready: Promise<{ event: string; port: number; url: string }>;
  exited: Promise<{ code: number | null; signal: string | null }>;
  stdout: () => string;
  stderr: () => string;
};

/** Starts the built node as a process of its own, as the image does. */
export function startNode(settings: Record<string, string>): NodeProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('DARKROOM_NODE_'));
  const env = { ...Object.fromEntries(inherited), ...settings };
  const child = fork(MAIN, { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const exited = endOf(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const stderr = collect(child.stderr);
  const ready = firstLine(child, exited, stderr);
  ready.catch(() => undefined);
  return { child, ready, exited, stdout: collect(child.stdout), stderr };
}

// Not the event `close`: it never comes once the IPC channel was closed from this side.
async function endOf(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  await Promise.all(streams.map((stream) => finished(stream)));
  return exit;
}

async function firstLine(child: ChildProcess, exited: Promise<unknown>, stderr: () => string) {
  const line = new Promise<string>((resolve) => {
    if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
  });
  const early = exited.then((): never => {
    throw new Error(`the node ended before it was ready: ${stderr()}`);
  });
  const ready = JSON.parse(await Promise.race([line, early])) as { event: string; port: number; url: string };
  return ready;
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
}
