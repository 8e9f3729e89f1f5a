import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, type StoredObject, type Timeline } from '../../workflows/contract/index.js';
import { EXIT, Exit } from './exit.js';
import { printJson, say, table } from './output.js';
import { withServices, type Services } from './services.js';

interface JsonOption {
  readonly json?: boolean;
}

export async function listJobs(
  options: JsonOption & { readonly state?: string; readonly limit: number },
): Promise<number> {
  if (options.state !== undefined && !/^[a-z]+$/.test(options.state)) {
    throw new Exit(EXIT.usage, `No state ${options.state}.`);
  }
  return await withServices(async ({ temporal }) => {
    const state = options.state === undefined ? '' : ` AND ${SEARCH_ATTRIBUTES.state} = '${options.state}'`;
    const query = `${SEARCH_ATTRIBUTES.kind} IS NOT NULL${state}`;
    const jobs: Record<string, string>[] = [];
    for await (const execution of temporal.workflow.list({ query, pageSize: Math.min(options.limit, 100) })) {
      const attribute = (name: string): string =>
        execution.typedSearchAttributes.get(defineSearchAttributeKey(name, SearchAttributeType.KEYWORD)) ?? '';
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
    await refuseUnknown(services, id);
    const timeline = await services.darkroom.job(id).timeline();
    if (options.json) printJson({ id, ...timeline });
    else {
      say(`${id}\n${timeline.state}${timeline.errorCode === undefined ? '' : ` (${timeline.errorCode})`}\n`);
      say(table(['attempt', 'step', 'ms', 'node', 'worker', 'how it ended'], timeline.spans.map(spanRow)));
      for (const object of evidenceOf(timeline)) say(`\nevidence: ${await services.link(object.key)}`);
      const link = await services.runLink(id);
      if (link !== undefined) say(`\n${link}`);
    }
    return EXIT.succeeded;
  });
}

export async function cancelJob(id: string, options: JsonOption): Promise<number> {
  return await withServices(async (services) => {
    await refuseUnknown(services, id);
    const job = services.darkroom.job(id);
    await job.cancel();
    const { status } = await job.wait();
    if (options.json) printJson({ id, status });
    else say(`${id}: ${status}`);
    return EXIT.succeeded;
  });
}

async function refuseUnknown({ temporal }: Services, id: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw new Exit(EXIT.usage, `No job ${id}.`);
    throw error;
  }
}

function evidenceOf({ evidence }: Timeline): readonly StoredObject[] {
  return [evidence?.report, evidence?.picture].filter((object) => object !== undefined && object !== null);
}

function spanRow(span: Timeline['spans'][number]): string[] {
  const ms = span.endedAt === undefined ? '…' : String(span.endedAt - span.startedAt);
  return [String(span.attempt), span.phase, ms, span.node ?? '', span.worker ?? '', span.outcome ?? ''];
}
