/**
 * A stack in a process of its own, to be killed: `stack-process.mjs [runaway]`. From `dist/`, since Node 20 does not
 * run TypeScript. Sends what it started over IPC and then waits.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StackGuardian, startStack } from '../../../dist/infra/stack/index.js';

process.send(process.argv[2] === 'runaway' ? await runaway() : await stack());
setInterval(() => undefined, 60_000); // Only a signal ends it.

async function stack() {
  const { services, folder } = await startStack({ parts: ['postgres', 'objectStore'] });
  const { postgres, objectStore } = services;
  return { folder, pids: [postgres.pid, objectStore.pid], urls: [postgres.url, objectStore.endpoint] };
}

/** A process that nobody reported and that leads a group of its own; it carries the stack's id all the same. */
async function runaway() {
  const guardian = await StackGuardian.start();
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-runaway-'));
  guardian.removeAtEnd(folder);
  const program = spawn('sleep', ['600'], {
    env: { ...process.env, ...guardian.environment },
    stdio: 'ignore',
    detached: true,
  });
  return { folder, pids: [program.pid], urls: [] };
}
