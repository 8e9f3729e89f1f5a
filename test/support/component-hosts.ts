import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface ComponentHosts {
  /** With a folder for each host. */
  readonly folder: string;
  remove(): Promise<void>;
}

const SOURCES = fileURLToPath(new URL('../pages/hosts', import.meta.url));

/** Builds the hosts of `test/pages/hosts` as their owners would: bundled and minified, with source maps. */
export async function buildComponentHosts(): Promise<ComponentHosts> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-hosts-'));
  for (const host of ['react', 'plain']) {
    await build({
      configFile: false,
      root: join(SOURCES, host),
      base: './',
      logLevel: 'error',
      build: { outDir: join(folder, host), sourcemap: true, chunkSizeWarningLimit: 2_000 },
    });
  }
  return {
    folder,
    remove: async () => {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
