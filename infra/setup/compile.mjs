/** From the sources to `dist/`: compile, copy what is no TypeScript, bundle the workflow code. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { run, say, SetupFailure } from './process.mjs';

const SOURCES = ['workflows', 'activities', 'scheduler', 'client', 'workers', 'infra'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const STAMP = join('dist', '.build-stamp');
const BUNDLER = join('dist', 'workers', 'bundle.js');

/** The only part of the set-up that built code uses too; the rest is of use in a checkout only. */
const SHARED_WITH_SETUP = join('infra', 'setup', 'lock.mjs');

/** True when `dist/` comes from the sources as they are now, told by their names, sizes and times. */
export function isBuilt(root) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(root);
}

/** Builds, or throws a SetupFailure after the compiler's messages. */
export async function build(root, report = say) {
  const started = performance.now();
  report('building …');
  const before = fingerprint(root); // A source that changes meanwhile makes the build stale, as it should.
  rmSync(join(root, STAMP), { force: true });
  removeStale(root);
  for (const asset of filesBelow(root, SOURCES).filter(isAsset)) {
    mkdirSync(join(root, 'dist', dirname(asset)), { recursive: true });
    copyFileSync(join(root, asset), join(root, 'dist', asset));
  }
  await mustRun(root, 'node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json']);
  if (existsSync(join(root, BUNDLER))) await mustRun(root, BUNDLER, []);
  writeFileSync(join(root, STAMP), before);
  report(`built after ${((performance.now() - started) / 1_000).toFixed(1)} s`);
}

async function mustRun(root, script, args) {
  const code = await run(process.execPath, [script, ...args], { stdout: 'stderr', cwd: root });
  if (code !== 0) throw new SetupFailure(`the build failed: ${script} ended with exit code ${code}`);
}

/** What an earlier build made from a source that is gone would still be found by its path. */
function removeStale(root) {
  for (const built of filesBelow(
    root,
    SOURCES.map((folder) => join('dist', folder)),
  )) {
    const copied = built.slice('dist'.length + sep.length);
    const compiled = copied.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (![copied, compiled].some((source) => existsSync(join(root, source)))) rmSync(join(root, built));
  }
}

function isAsset(file) {
  if (file.startsWith(join('infra', 'setup') + sep)) return file === SHARED_WITH_SETUP;
  return !/\.(ts|mts|md)$/.test(file);
}

function fingerprint(root) {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS, ...filesBelow(root, SOURCES)]) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** Paths below `root`, sorted. */
function filesBelow(root, folders) {
  const entries = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + sep.length)),
    );
  return entries.sort();
}
