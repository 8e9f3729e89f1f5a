/**
 * What every command needs first: the right Node.js, the npm packages, the build, the programs. Each step costs
 * next to nothing when it was done before. No package may be imported here: there may be none yet.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './compile.mjs';
import { withLock } from './lock.mjs';
import { run, say, SetupFailure } from './process.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const NODE_NEEDED = [20, 20];
const LOCKFILE = join(root, 'package-lock.json');
/** What npm writes when it has installed. */
const INSTALLED = join(root, 'node_modules', '.package-lock.json');
const INSTALL_STAMP = join(root, 'node_modules', '.cache', 'darkroom', 'installed');
const LOCK = join(root, '.darkroom', 'setup.lock');

/** Makes sure of Node.js, packages and build, or ends this process with what has to be done. */
export async function ensureProject() {
  await ensure(
    () => isInstalled() && isBuilt(root),
    async () => {
      if (!isInstalled()) await install();
      if (!isBuilt(root)) await build(root);
    },
  );
}

/** Makes sure of Node.js and packages, for tools that read the sources only. */
export async function ensurePackages() {
  await ensure(isInstalled, async () => {
    if (!isInstalled()) await install();
  });
}

/** Makes sure of the Temporal server, the browser and the fonts. The project must be built. */
export async function ensurePrograms() {
  const code = await run(process.execPath, ['dist/infra/stack/programs/main.js'], { stdout: 'ignore' });
  if (code !== 0) process.exit(code);
}

/** Two commands at once, such as tests beside a start, must not install or build over each other. */
async function ensure(isDone, work) {
  try {
    checkNode();
    process.chdir(root);
    if (!isDone()) await withLock(LOCK, say, work);
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    say(error.message);
    process.exit(1);
  }
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = NODE_NEEDED;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  throw new SetupFailure(`Node.js ${NODE_NEEDED.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

/** By content when we installed, by time when somebody ran npm by hand. */
function isInstalled() {
  if (!existsSync(INSTALLED)) return false;
  if (existsSync(INSTALL_STAMP) && readFileSync(INSTALL_STAMP, 'utf8') === lockfileHash()) return true;
  return statSync(INSTALLED).mtimeMs >= statSync(LOCKFILE).mtimeMs;
}

async function install() {
  say('installing the npm packages (npm ci) …');
  const started = performance.now();
  const code = await run('npm', ['ci', '--no-progress'], {
    stdout: 'stderr',
  });
  if (code !== 0) {
    throw new SetupFailure('npm ci failed. Is the registry reachable? `npm config get registry` says which one it is.');
  }
  mkdirSync(dirname(INSTALL_STAMP), { recursive: true });
  writeFileSync(INSTALL_STAMP, lockfileHash());
  say(`npm packages installed after ${((performance.now() - started) / 1_000).toFixed(0)} s`);
}

function lockfileHash() {
  return createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex');
}
