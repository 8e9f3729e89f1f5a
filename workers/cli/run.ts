import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { messageOf } from '../../activities/slot.js';
import { DarkroomError, type Outcome, type Submission } from '../../client/index.js';
import {
  KINDS,
  kindOfJob,
  objectsIn,
  storedObjects,
  type Evidence,
  type JobBounds,
  type JobClass,
  type JobError,
  type Kind,
  type StoredObject,
} from '../../workflows/contract/index.js';
import { EXIT, Exit } from './exit.js';
import { printJson, say } from './output.js';
import { linksTo, withServices, type Services } from './services.js';

export interface RunOptions {
  readonly user: string;
  readonly workspace: string;
  readonly class: JobClass;
  readonly key?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly bounds?: JobBounds;
}

/** What `run --json` prints. */
export interface RunDocument {
  readonly jobId: string | null;
  readonly runId: string | null;
  readonly kind: string;
  readonly status: Outcome['status'];
  readonly result?: unknown;
  readonly evidence?: unknown;
  /** To the objects of the result, or of the evidence, by their field: presigned, good for an hour. */
  readonly links?: Readonly<Record<string, string>>;
  readonly error?: JobError;
  /** Null where the job ended before it could tell, for example by a cancel. */
  readonly attempts: number | null;
  readonly timings: unknown;
}

export async function runFromFile(kind: string, options: RunOptions & { readonly input: string }): Promise<number> {
  if (!isKind(kind)) throw new Exit(EXIT.usage, `No kind ${kind}. Known: ${KINDS.join(', ')}.`);
  return await run(kind, await readJson(options.input), options);
}

/** Submits one job, waits for it, writes its objects, and answers the exit code. Ctrl-C cancels the job. */
export async function run(kind: Kind, input: unknown, options: RunOptions): Promise<number> {
  return await withServices(async (services) => {
    const document = await outcomeDocument(services, kind, submission(input, options));
    if (options.json) printJson(document);
    else say(describe(document));
    if (options.out !== undefined) for (const path of await writeObjects(services, document, options.out)) say(path);
    return exitCode(document);
  });
}

/** A person who asks twice wants two pictures, so without a key each call is an operation of its own. */
function submission(input: unknown, { user, workspace, class: jobClass, key, bounds }: RunOptions): Submission<never> {
  return {
    input: input as never, // Checked by the client against the kind's schema.
    user,
    workspace,
    class: jobClass,
    operation: `cli-${randomUUID()}`,
    ...(key === undefined ? {} : { key }),
    ...(bounds === undefined ? {} : { bounds }),
  };
}

async function outcomeDocument(services: Services, kind: Kind, asked: Submission<never>): Promise<RunDocument> {
  try {
    const job = await services.darkroom.submit(kind, asked);
    const cancel = (): void => {
      job.cancel().catch((error: unknown) => {
        say(`The job could not be cancelled: ${messageOf(error)}`);
      });
    };
    process.once('SIGINT', cancel);
    const outcome = await job.wait();
    process.off('SIGINT', cancel);
    const { runId } = await services.temporal.workflow.getHandle(job.id).describe();
    const { attempts = null, timings = null, ...rest } = outcome;
    const links = await linksTo(services, objectsOf(outcome));
    return { jobId: job.id, runId, kind, ...rest, links, attempts, timings };
  } catch (error) {
    if (!(error instanceof DarkroomError)) throw error;
    const { code, message, retryable, layer } = error;
    return {
      jobId: null,
      runId: null,
      kind,
      status: 'failed',
      error: { code, message, retryable, layer },
      attempts: 0,
      timings: null,
    };
  }
}

function exitCode({ jobId, status }: RunDocument): number {
  if (status === 'succeeded') return EXIT.succeeded;
  if (status === 'cancelled') return EXIT.cancelled;
  // Refused before there was a job: the command was wrong, not the rendering.
  return jobId === null ? EXIT.usage : EXIT.failedJob;
}

function describe({ jobId, status, error, timings }: RunDocument): string {
  if (error !== undefined) return `${status}: ${error.code}: ${error.message}`;
  const { totalMs } = (timings ?? {}) as { totalMs?: number };
  return `${status} in ${String(totalMs ?? '?')} ms: ${jobId ?? ''}`;
}

function objectsOf(outcome: Pick<RunDocument, 'result' | 'evidence'>): Readonly<Record<string, StoredObject>> {
  const from = (outcome.result ?? outcome.evidence) as Evidence | undefined;
  return from === undefined ? {} : storedObjects(from);
}

/** `out` is a folder, or the file for a result that is one picture: then everything else is written beside it. */
async function writeObjects(services: Services, document: RunDocument, out: string): Promise<readonly string[]> {
  const objects = Object.entries(objectsOf(document));
  const isOne = document.status === 'succeeded' && objects.length === 1;
  const id = document.jobId ?? '';
  const isFile = /\.(png|jpe?g|webp)$/.test(out);
  const folder = isFile ? dirname(out) : out;
  const stem = isFile ? basename(out, extname(out)) : `${kindOfJob(id)}-${id.slice(-64, -52)}`;
  const written = new Map<string, string>();
  const write = async ({ key }: StoredObject, name: string): Promise<Buffer> => {
    const path = isFile && isOne ? out : join(folder, name.replace('.jpeg', '.jpg'));
    const bytes = await services.fetchObject(key);
    await mkdir(folder, { recursive: true });
    await writeFile(path, bytes);
    written.set(key, path);
    return bytes;
  };
  const reports: unknown[] = [];
  for (const [field, object] of objects) {
    const bytes = await write(object, `${stem}${isOne ? '' : `-${field}`}${extname(object.key)}`);
    if (object.contentType === 'application/json') reports.push(JSON.parse(bytes.toString()));
  }
  for (const named of objectsIn(reports)) {
    if (!written.has(named.key)) await write(named, `${stem}-${basename(named.key)}`);
  }
  return [...written.values()];
}

export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    throw new Exit(EXIT.usage, `Cannot read JSON from ${path}: ${(error as Error).message}`);
  }
}

function isKind(value: string): value is Kind {
  return (KINDS as readonly string[]).includes(value);
}
