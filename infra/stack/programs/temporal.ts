import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { withLock } from '../../setup/lock.mjs';
import { longStep, runCommand } from './long-step.js';
import { cacheFolder, findOnPath, isProgram, type Machine } from './machine.js';
import { ProgramError } from './program-error.js';

/** The newest version whose modules the public Go proxy still has. */
export const TEMPORAL_VERSION = '1.5.1';

const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_VERSION}`;
/** Short: on a machine without the internet this is pure waiting, and there is another way. */
const ANSWER_WITHIN_MS = 8_000;
const DOWNLOAD_WITHIN_MS = 180_000;
const BUILD_WITHIN_MS = 1_200_000;
const SETTING = 'DARKROOM_TEMPORAL_BIN';
/** A mirror of the official download, for networks that do not reach it. */
const MIRROR_SETTING = 'DARKROOM_TEMPORAL_MIRROR';
const OFFICIAL = 'https://temporal.download/cli/archive';

/**
 * The path of the `temporal` program: from the setting, PATH, the cache, the official download, or built with Go.
 *
 * @throws ProgramError when none of them has it
 */
export async function prepareTemporal(machine: Machine): Promise<string> {
  const setting = machine.env[SETTING];
  if (setting !== undefined && setting !== '') {
    if (await isProgram(setting)) return setting;
    throw new ProgramError('temporal', {
      tried: [`the setting ${SETTING}: ${setting} is not an executable file`],
      advice: `Correct ${SETTING}, or remove it to let Darkroom look for the program.`,
    });
  }
  const onPath = await findOnPath('temporal', machine);
  if (onPath !== undefined) return onPath;

  const cached = join(cacheFolder(machine), 'temporal', TEMPORAL_VERSION, 'temporal');
  if (await isProgram(cached)) return cached;
  return withLock(`${cached}.lock`, machine.report, async () => {
    if (!(await isProgram(cached))) await install(cached, machine);
    return cached;
  });
}

async function install(cached: string, machine: Machine): Promise<void> {
  const tried = [`the setting ${SETTING} (not set)`, '`temporal` on PATH', `the cache (${cached})`];
  const ways = [
    { what: `downloading Temporal ${TEMPORAL_VERSION}`, fill: download },
    { what: `building Temporal ${TEMPORAL_VERSION} with Go (about three minutes)`, fill: buildWithGo },
  ];
  for (const { what, fill } of ways) {
    try {
      await longStep(what, machine, () => fillCache(cached, machine, fill));
      return;
    } catch (error) {
      const reason = error instanceof Error ? describe(error) : String(error);
      machine.report(`${what}: failed (${reason.split('\n')[0] ?? ''})`);
      tried.push(`${what}: ${reason}`);
    }
  }
  throw new ProgramError('temporal', {
    tried,
    advice: `Install the Temporal CLI, or Go 1.24 or newer, or set ${SETTING} to the path of the program.`,
  });
}

/** Puts a program named `temporal` into the folder. */
type Filler = (folder: string, machine: Machine) => Promise<void>;

/** The program gets its name in the cache only when it is complete and runs. */
async function fillCache(cached: string, machine: Machine, fill: Filler): Promise<void> {
  await mkdir(dirname(cached), { recursive: true });
  const folder = await mkdtemp(join(dirname(cached), 'new-'));
  try {
    await fill(folder, machine);
    const made = join(folder, 'temporal');
    await runCommand(made, ['--version'], { env: machine.env, withinMs: 10_000 });
    await rename(made, cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(folder: string, { env }: Machine): Promise<void> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const base = env[MIRROR_SETTING] ?? OFFICIAL;
  const url = `${base}/v${TEMPORAL_VERSION}?platform=${process.platform}&arch=${arch}`;
  const archive = join(folder, 'archive.tar.gz');
  const abort = new AbortController();
  const silence = setTimeout(() => {
    abort.abort(new Error(`${url} did not answer within ${String(ANSWER_WITHIN_MS)} ms`));
  }, ANSWER_WITHIN_MS);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(DOWNLOAD_WITHIN_MS)]),
    });
    clearTimeout(silence);
    if (!response.ok || response.body === null) throw new Error(`${url} answers ${String(response.status)}`);
    await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), createWriteStream(archive));
  } finally {
    clearTimeout(silence);
  }
  await runCommand('tar', ['-xzf', archive, '-C', folder, 'temporal'], { env, withinMs: 60_000 });
}

async function buildWithGo(folder: string, machine: Machine): Promise<void> {
  const go = await findOnPath('go', machine);
  if (go === undefined) throw new Error('`go` is not on PATH');
  await runCommand(go, ['install', GO_PACKAGE], {
    env: { ...machine.env, GOBIN: folder },
    withinMs: BUILD_WITHIN_MS,
  });
}

/** `fetch` hides the reason in the cause. */
function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
