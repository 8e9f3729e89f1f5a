import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { build, isBuilt } from '../../../infra/setup/compile.mjs';

const COMPILER = 'node_modules/typescript/bin/tsc';
const quiet = (): void => undefined;
const WORKS = "require('node:fs').appendFileSync('runs', 'x')";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'darkroom-compile-'));
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']) write(file, '{}');
  write('package.json', '{ "type": "commonjs" }');
  write('scheduler/index.ts', 'export {};');
  write('scheduler/sql/pass.sql', 'select 1;');
  write('scheduler/README.md', '# Scheduler');
  write('infra/setup/start.mjs', '');
  write('infra/setup/lock.mjs', '');
  write(COMPILER, WORKS);
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

test('a build copies what is no TypeScript to the same place, and of the set-up only what built code uses', async () => {
  await build(root, quiet);
  expect(readFileSync(join(root, 'dist/scheduler/sql/pass.sql'), 'utf8')).toBe('select 1;');
  expect(existsSync(join(root, 'dist/infra/setup/lock.mjs'))).toBe(true);
  expect(existsSync(join(root, 'dist/infra/setup/start.mjs'))).toBe(false);
  expect(existsSync(join(root, 'dist/scheduler/README.md'))).toBe(false);
});

test('a build is good until a source changes, comes or goes', async () => {
  expect(isBuilt(root)).toBe(false);
  await build(root, quiet);
  expect(isBuilt(root)).toBe(true);
  write('scheduler/sql/pass.sql', 'select 2 ;');
  expect(isBuilt(root)).toBe(false);
  await build(root, quiet);
  write('scheduler/other.ts', '');
  expect(isBuilt(root)).toBe(false);
  rmSync(join(root, 'scheduler/other.ts'));
  expect(isBuilt(root)).toBe(true);
});

test('what was built from a source that is gone is removed', async () => {
  for (const built of ['index.js', 'index.js.map', 'index.d.ts', 'gone.js', 'gone.js.map', 'gone.d.ts', 'gone.sql']) {
    write(join('dist/scheduler', built), '');
  }
  await build(root, quiet);
  const there = (file: string): boolean => existsSync(join(root, 'dist/scheduler', file));
  expect(['index.js', 'index.js.map', 'index.d.ts'].filter(there)).toHaveLength(3);
  expect(['gone.js', 'gone.js.map', 'gone.d.ts', 'gone.sql'].filter(there)).toEqual([]);
});

test('a failed build is no build', async () => {
  await build(root, quiet);
  write(COMPILER, 'process.exit(2)');
  write('scheduler/index.ts', 'broken');
  await expect(build(root, quiet)).rejects.toThrow(`${COMPILER} ended with exit code 2`);
  expect(isBuilt(root)).toBe(false);
});

test('the workflow bundle is made when there is a bundler', async () => {
  write('workers/bundle.ts', '');
  write('dist/workers/bundle.js', "require('node:fs').writeFileSync('dist/workflow-bundle.js', '')");
  await build(root, quiet);
  expect(existsSync(join(root, 'dist/workflow-bundle.js'))).toBe(true);
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
