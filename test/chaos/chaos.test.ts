import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { ChaosReport } from './report.js';

const PROGRAM = fileURLToPath(new URL('run.mjs', import.meta.url));

/** In a process of its own, as on the command line: it kills what it starts, and that must not be this one. */
async function run(...options: string[]): Promise<ChaosReport> {
  const ended = promisify(execFile)(process.execPath, [PROGRAM, '--json', ...options], {
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const { stdout } = await ended.catch((error: unknown) => {
    // Exit code 1 with a report: what is wrong stands in it.
    if (error instanceof Error && 'stdout' in error && String(error.stdout).startsWith('{')) {
      return { stdout: String(error.stdout) };
    }
    throw error;
  });
  return JSON.parse(stdout) as ChaosReport;
}

test.each(['11', '12', '13'])(
  'nothing that must hold breaks under the faults of seed %s',
  { timeout: 300_000 },
  async (seed) => {
    const { jobs, violations } = await run('--seconds', '60', '--seed', seed);
    expect(violations).toEqual([]);
    expect(jobs).toBeGreaterThan(20);
  },
);
