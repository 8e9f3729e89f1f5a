import { readFile } from 'node:fs/promises';
import {
  describeReplay,
  HistoryFormatError,
  parseHistory,
  replayHistories,
  workflowIdOf,
  type Divergence,
  type NamedHistory,
  type Replayed,
} from '../replay/index.js';
import { EXIT, Exit } from './exit.js';
import { printJson, say } from './output.js';
import { refuseUnknown, withServices, type Services } from './services.js';

export interface ReplayOptions {
  readonly query?: string;
  readonly json?: boolean;
}

/** One entry of what `replay --json` prints. */
interface ReplayDocument {
  readonly name: string;
  readonly workflowId: string;
  readonly events: number;
  readonly status: 'ok' | 'diverged';
  readonly divergence?: Divergence;
}

const BUNDLE = new URL('../../workflow-bundle.js', import.meta.url);

/** Replays histories against the workflow code of this build, and answers 1 when one diverges. */
export async function replay(names: readonly string[], options: ReplayOptions): Promise<number> {
  if (names.length === 0 && options.query === undefined) {
    throw new Exit(EXIT.usage, 'Name workflow ids or history files, or give a --query.');
  }
  const files = await Promise.all(names.filter(isFile).map(readHistory));
  const ids = names.filter((name) => !isFile(name));
  const documents =
    ids.length === 0 && options.query === undefined
      ? await replayed(files, options)
      : await withServices(async (services) => {
          await refuseUnknown(services, 'workflow', ...ids);
          return await replayed(all(files, fetched(services, ids, options.query)), options);
        });
  if (options.json) printJson(documents);
  else if (documents.length === 0) say('No histories.');
  return documents.every(({ status }) => status === 'ok') ? EXIT.succeeded : EXIT.failedJob;
}

async function replayed(
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
  options: ReplayOptions,
): Promise<readonly ReplayDocument[]> {
  const documents: ReplayDocument[] = [];
  for await (const one of replayHistories(await readFile(BUNDLE, 'utf8'), histories)) {
    const document = documentOf(one);
    documents.push(document);
    if (options.json !== true) say(describeReplay(document));
  }
  return documents;
}

function documentOf({ name, workflowId, events, divergence }: Replayed): ReplayDocument {
  const status = divergence === undefined ? 'ok' : 'diverged';
  return { name, workflowId, events, status, ...(divergence !== undefined && { divergence }) };
}

function isFile(name: string): boolean {
  return name.endsWith('.json');
}

async function readHistory(path: string): Promise<NamedHistory> {
  try {
    const history = parseHistory(await readFile(path, 'utf8'));
    return { name: path, workflowId: workflowIdOf(history) ?? path, history };
  } catch (error) {
    const isOurs = error instanceof HistoryFormatError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isOurs) throw error;
    throw new Exit(EXIT.usage, `${path}: ${(error as Error).message}`);
  }
}

/** One history at a time: a query may find thousands. */
async function* fetched(
  { temporal }: Services,
  ids: readonly string[],
  query: string | undefined,
): AsyncGenerator<NamedHistory> {
  for (const id of ids) {
    yield { name: id, workflowId: id, history: await temporal.workflow.getHandle(id).fetchHistory() };
  }
  if (query === undefined) return;
  for await (const { workflowId, runId } of temporal.workflow.list({ query })) {
    const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    yield { name: `${workflowId} ${runId}`, workflowId, history };
  }
}

async function* all<T>(first: Iterable<T>, second: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* second;
}
