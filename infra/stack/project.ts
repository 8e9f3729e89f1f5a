import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json, whether this file runs from the sources or from `dist/`. */
export const projectRoot: string = findUp(dirname(fileURLToPath(import.meta.url)), 'package.json');

/**
 * The path of a compiled program. Services are started by path and always from `dist/`, also when the stack itself
 * runs from the sources in a test: Node 20 does not run TypeScript.
 */
export function builtProgram(path: string): string {
  const file = join(projectRoot, 'dist', path);
  if (!existsSync(file)) throw new Error(`${path} is not built: run \`npm run build\``);
  return file;
}

function findUp(folder: string, name: string): string {
  if (existsSync(join(folder, name))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`no ${name} above ${folder}`);
  return findUp(parent, name);
}
