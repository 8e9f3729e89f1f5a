import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { World } from './world.js';

const CLI = fileURLToPath(new URL('../../dist/workers/cli/main.js', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as it is installed, on a deployment. */
export async function darkroom(configuration: string, args: readonly string[]): Promise<Ended> {
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, ...args],
      { env: { ...process.env, DARKROOM_CONFIG: configuration } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

/** `darkroom run <kind>` of this input: its exit code and its document. */
export async function runJob(
  world: Pick<World, 'configuration' | 'folder'>,
  input: unknown,
  options: readonly string[] = [],
  kind = 'page_screenshot',
): Promise<{ readonly code: number; readonly document: unknown }> {
  const file = join(world.folder, `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify(input));
  const args = ['run', kind, '--input', file, '--json', ...options];
  const { code, stdout } = await darkroom(world.configuration, args);
  return { code, document: JSON.parse(stdout) };
}
