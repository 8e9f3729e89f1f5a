import {
  describeError,
  isErrorCode,
  keyword,
  SEARCH_ATTRIBUTES,
  storedObjects,
  TIMELINE_COLUMNS,
  timelineRows,
  type JobError,
  type JobState,
  type StoredObject,
  type Timeline,
} from '../../workflows/contract/index.js';
import { EXIT, Exit } from './exit.js';
import { printJson, say, table } from './output.js';
import { linksTo, refuseUnknown, withServices, type Services } from './services.js';

const STATES: readonly JobState[] = ['pending', 'running', 'succeeded', 'failed', 'cancelled'];

interface JsonOption {
  readonly json?: boolean;
}

export async function listJobs(
  options: JsonOption & { readonly state?: string; readonly limit: number },
): Promise<number> {
  if (options.state !== undefined && !STATES.some((state) => state === options.state)) {
    throw new Exit(EXIT.usage, `No state ${options.state}. Known: ${STATES.join(', ')}.`);
  }
  return await withServices(async ({ temporal }) => {
    const state = options.state === undefined ? '' : ` AND ${SEARCH_ATTRIBUTES.state} = '${options.state}'`;
    const query = `${SEARCH_ATTRIBUTES.kind} IS NOT NULL${state}`;
    const jobs: Record<string, string>[] = [];
    for await (const execution of temporal.workflow.list({ query, pageSize: Math.min(options.limit, 100) })) {
      const attribute = (name: string): string => execution.typedSearchAttributes.get(keyword(name)) ?? '';
      jobs.push({
        id: execution.workflowId,
        state: attribute(SEARCH_ATTRIBUTES.state),
        class: attribute(SEARCH_ATTRIBUTES.class),
        node: attribute(SEARCH_ATTRIBUTES.node),
        error: attribute(SEARCH_ATTRIBUTES.errorCode),
        started: execution.startTime.toISOString(),
      });
      if (jobs.length >= options.limit) break;
    }
    if (options.json) printJson(jobs);
    else if (jobs.length === 0) say('No jobs.');
    else {
      const columns = Object.keys(jobs[0] ?? {});
      say(
        table(
          columns,
          jobs.map((job) => columns.map((column) => job[column] ?? '')),
        ),
      );
    }
    return EXIT.succeeded;
  });
}

export async function showJob(id: string, options: JsonOption): Promise<number> {
  return await withServices(async (services) => {
    await refuseUnknown(services, 'job', id);
    const document = await jobDocument(services, id);
    if (options.json) printJson(document);
    else say(describe(document));
    return EXIT.succeeded;
  });
}

/** What `jobs show --json` prints: the timeline, why it failed, its result with a link for an hour, its page in the UI. */
interface JobDocument extends Timeline {
  readonly id: string;
  readonly error?: JobError;
  /** Of the result or the evidence, by their field. */
  readonly objects: Readonly<Record<string, StoredObject & { readonly link: string }>>;
  readonly ui?: string;
}

async function jobDocument(services: Services, id: string): Promise<JobDocument> {
  const job = services.darkroom.job(id);
  const timeline = await job.timeline();
  const { errorCode, errorMessage } = timeline;
  const [ui, outcome] = await Promise.all([
    services.runLink(id),
    timeline.state === 'succeeded' ? job.wait() : undefined,
  ]);
  const kept = outcome?.status === 'succeeded' ? outcome.result : timeline.evidence;
  const stored = kept === undefined ? {} : storedObjects(kept);
  const links = await linksTo(services, stored);
  const objects = Object.fromEntries(
    Object.entries(stored).map(([field, object]) => [field, { ...object, link: links[field] ?? '' }]),
  );
  return {
    id,
    ...timeline,
    ...(isErrorCode(errorCode) && {
      error: { ...describeError(errorCode), ...(errorMessage !== undefined && { message: errorMessage }) },
    }),
    objects,
    ...(ui !== undefined && { ui }),
  };
}

function describe(document: JobDocument): string {
  const { id, state, attempt, position, queueDeadlineAt, nextAttemptAt, startedAt, endedAt, error, objects, ui } =
    document;
  const rows = [
    ['job', id],
    ['state', `${state}, attempt ${String(attempt)}`],
    ['position', position],
    ['waits until', time(queueDeadlineAt)],
    ['not before', time(nextAttemptAt)],
    ['started', time(startedAt)],
    ['took', endedAt === undefined ? undefined : `${String(endedAt - startedAt)} ms`],
    ['error', error && `${error.code} (layer ${error.layer}${error.retryable ? ', retried' : ''})`],
    ['why', error?.message],
    ...Object.entries(objects).flatMap(([field, { key, link }]) => [
      [field, key],
      ['link (1 h)', link],
    ]),
    ['Temporal UI', ui],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${String(name).padEnd(11)} ${String(value)}`]));
  return `${rows.join('\n')}\n\n${table(TIMELINE_COLUMNS, timelineRows(document))}`;
}

function time(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

export async function cancelJob(id: string, options: JsonOption): Promise<number> {
  return await withServices(async (services) => {
    await refuseUnknown(services, 'job', id);
    const job = services.darkroom.job(id);
    await job.cancel();
    const { status } = await job.wait();
    if (options.json) printJson({ id, status });
    else say(`${id}: ${status}`);
    return EXIT.succeeded;
  });
}
