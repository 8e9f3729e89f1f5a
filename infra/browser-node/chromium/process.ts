import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { within } from '../deadline.js';
import { NodeError } from '../errors.js';
import { chromiumFlags, type FlagChoices } from './flags.js';
import { DevtoolsPipe, type PipeListener } from './pipe.js';
import { groupGone, killGroup } from '../../work-folder/index.js';

export type ChromiumVersion = {
  product: string;
  protocolVersion: string;
  userAgent: string;
  revision: string;
  jsVersion: string;
};

export type ChromiumProcess = {
  /** Also the id of its process group. */
  readonly pid: number;
  readonly profileFolder: string;
  readonly pipe: DevtoolsPipe;
  readonly version: ChromiumVersion;
  /** True until the browser's first process has ended. */
  readonly alive: boolean;
  /** Resolves when the browser's first process has ended, with how it ended. */
  readonly exited: Promise<string>;
  /** Asks for the version again; only while no client has the pipe. */
  probe(timeoutMs: number): Promise<void>;
  /**
   * SIGKILLs the whole process group. Idempotent. `dead` resolves when no member runs any more, however long
   * that takes; `removed` when the profile folder is gone too, and rejects if it cannot be removed.
   */
  kill(): { dead: Promise<void>; removed: Promise<void> };
};

const STDERR_TAIL_CHARS = 2_000;
// What the browser may know of the node's environment; above all not the token.
const PASSED_ON = /^(PATH|HOME|USER|LANG|LANGUAGE|LC_.*|TZ|LD_LIBRARY_PATH|FONTCONFIG_.*|XDG_.*)$/;

const NOBODY: PipeListener = { message: () => undefined, drained: () => undefined, ended: () => undefined };

/**
 * Starts a browser and waits until it has answered `Browser.getVersion`.
 *
 * @param timeoutMs bound for the first answer
 * @param signal ends the start early
 * @throws NodeError `browser_unavailable`; nothing of the browser is left then
 */
export async function startChromium(
  flags: FlagChoices,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ChromiumProcess> {
  signal.throwIfAborted();
  const temp = join(flags.profileFolder, 'tmp');
  await mkdir(temp, { recursive: true, mode: 0o700 });
  const launched = launch(flags, temp);
  try {
    const version = readVersion(await launched.ask(timeoutMs, signal));
    return {
      ...launched.process,
      version,
      get alive() {
        return launched.alive();
      },
    };
  } catch (error) {
    const { dead, removed } = launched.process.kill();
    await within(timeoutMs, Promise.all([dead, removed]), () => unavailable('its leftovers could not be removed'));
    throw unavailable(`${messageOf(error)}${launched.stderr()}`, error);
  }
}

type Launched = {
  process: Omit<ChromiumProcess, 'version' | 'alive'>;
  alive(): boolean;
  ask(timeoutMs: number, signal?: AbortSignal): Promise<unknown>;
  stderr(): string;
};

function launch(flags: FlagChoices, temp: string): Launched {
  const child = spawn(flags.binary.path, chromiumFlags(flags), {
    // A group of its own, so that one signal reaches the browser and everything it started.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    cwd: flags.profileFolder,
    // Temporary files go into the profile folder, so that they are removed with it even after a SIGKILL.
    env: { ...passedOnEnvironment(), TMPDIR: temp },
  });
  const ended = watchEnd(child);
  const tail = keepTail(child);
  const pipe = new DevtoolsPipe(duplex(child, 3), duplex(child, 4));
  const group = child.pid;
  let killed: ReturnType<ChromiumProcess['kill']> | undefined;
  const kill = () => (killed ??= endGroup(group, ended.exited, pipe, flags.profileFolder));
  const ask: Launched['ask'] = (timeoutMs, signal) => askVersion(pipe, ended.exited, timeoutMs, signal);
  return {
    process: {
      pid: group ?? 0,
      profileFolder: flags.profileFolder,
      pipe,
      exited: ended.exited,
      kill,
      probe: async (timeoutMs) => {
        await ask(timeoutMs);
      },
    },
    alive: () => !ended.happened(),
    ask,
    stderr: () => (tail() === '' ? '' : `; it said: ${tail()}`),
  };
}

function endGroup(group: number | undefined, exited: Promise<string>, pipe: DevtoolsPipe, profileFolder: string) {
  const dead = (async () => {
    if (group !== undefined) killGroup(group);
    await exited;
    if (group !== undefined) await groupGone(group);
    pipe.destroy();
  })();
  const removed = dead.then(() => rm(profileFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));
  // Both are looked at by whoever called `kill`; a caller that wants only one must not crash the process.
  dead.catch(() => undefined);
  removed.catch(() => undefined);
  return { dead, removed };
}

function watchEnd(child: ChildProcess): { exited: Promise<string>; happened(): boolean } {
  let how: string | undefined;
  const exited = new Promise<string>((resolve) => {
    const settle = (text: string) => {
      how ??= text;
      resolve(how);
    };
    child.once('exit', (code, signal) => settle(signal === null ? `exit code ${code}` : `signal ${signal}`));
    // Only a start that failed: afterwards `exit` follows any error.
    child.on('error', (error) => (child.pid === undefined ? settle(error.message) : undefined));
  });
  return { exited, happened: () => how !== undefined };
}

async function askVersion(
  pipe: DevtoolsPipe,
  exited: Promise<string>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<unknown> {
  // The signal outlives many starts, so its listener has to go with this one.
  let giveUp: () => void = () => undefined;
  const answer = new Promise<unknown>((resolve, reject) => {
    giveUp = () => {
      reject(unavailable('the start was given up'));
    };
    // Given up while the profile folder was made: an event that has passed is not told again.
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    pipe.listen({
      message: (message) => {
        try {
          resolve(JSON.parse(message.toString('utf8')));
        } catch (error) {
          reject(unavailable('it answered something that is not JSON', error));
        }
      },
      drained: () => undefined,
      // The pipe may end a moment before the process does, and only the process tells how.
      ended: () => void exited.then((how) => reject(unavailable(`the browser ended: ${how}`))),
    });
  });
  try {
    pipe.send(JSON.stringify({ id: 1, method: 'Browser.getVersion' }));
    return await within(timeoutMs, answer, () => unavailable(`no answer to Browser.getVersion in ${timeoutMs} ms`));
  } finally {
    signal?.removeEventListener('abort', giveUp);
    pipe.listen(NOBODY);
  }
}

function readVersion(answer: unknown): ChromiumVersion {
  const result = field(answer, 'result');
  const text = (name: string) => {
    const value = field(result, name);
    if (typeof value !== 'string') throw unavailable(`Browser.getVersion gave no ${name}`);
    return value;
  };
  return {
    product: text('product'),
    protocolVersion: text('protocolVersion'),
    userAgent: text('userAgent'),
    revision: text('revision'),
    jsVersion: text('jsVersion'),
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function keepTail(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => (tail = (tail + text).slice(-STDERR_TAIL_CHARS)));
  return () => tail.trim();
}

function duplex(child: ChildProcess, index: number): Duplex {
  const stream = child.stdio[index];
  if (stream instanceof Duplex) return stream;
  throw unavailable('the debugging pipe could not be opened');
}

function passedOnEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)));
}

function unavailable(message: string, cause?: unknown): NodeError {
  if (cause instanceof NodeError && cause.message === message) return cause;
  return new NodeError('browser_unavailable', message, cause === undefined ? undefined : { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
