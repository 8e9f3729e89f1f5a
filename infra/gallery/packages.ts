import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** The only packages that are served. */
export const PACKAGES = [
  '@fontsource-variable/nunito',
  '@fontsource/roboto',
  '@readme/oas-examples',
  'material-design-lite',
  'material-icons',
  'startbootstrap-sb-admin-2',
  'swagger-ui-dist',
  'uikit',
  'weui',
] as const;

export type PackageName = (typeof PACKAGES)[number];

/** Folder of an installed package. Not by resolving its `package.json`, which some packages do not export. */
export function packageFolder(name: PackageName): string {
  const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  if (found === undefined) throw new Error(`The gallery needs the package ${name}: npm install.`);
  return found;
}
