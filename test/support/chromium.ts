import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chrome-headless-shell', 'chromium-headless-shell', 'chromium'];

/** The browser of this machine: `DARKROOM_NODE_CHROMIUM`, or the first known name on the path. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['DARKROOM_NODE_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
  if (found === undefined)
    throw new Error(`No Chromium: set DARKROOM_NODE_CHROMIUM, or install one of ${NAMES.join(', ')}.`);
  return found;
}

/** A browser process of the test's own, with the flags of a node. `env` replaces variables, for fonts; `flags` come on top. */
export async function launchChromium(
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<Browser> {
  return await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...flags],
    env: { ...process.env, ...env },
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
