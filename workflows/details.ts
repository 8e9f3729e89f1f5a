import {
  ERRORS,
  isErrorCode,
  storedObjects,
  TIMELINE_COLUMNS,
  timelineRows,
  type Job,
  type StoredObject,
  type Timeline,
} from './contract/index.js';

/** The UI draws Markdown in a frame a line too low, so the last line is a blank one. */
const UNDER_THE_FOLD = ['', '\u00a0'];

/** What the timeline does not know of. */
export interface RunFacts {
  /** How many there may be. */
  readonly attempts: number;
  /** Of the result, by the name of their field. */
  readonly objects: Readonly<Record<string, StoredObject>>;
}

/**
 * The run as Temporal's UI shows it, in Markdown: first what an operator needs at a glance (what it waits for, why it
 * failed, where), then what was asked, then where the time went. Links to pictures expire, so only their keys stand here.
 */
export function describeRun(job: Job, timeline: Timeline, facts: RunFacts): string {
  const { base, path } = job.input.target;
  return [
    ...glance(timeline, facts),
    '',
    `\`${job.kind}\` of \`${base}:${path}\` · ${job.class} · workspace \`${job.workspace}\``,
    '',
    markdownTable(TIMELINE_COLUMNS, timelineRows(timeline)),
    ...UNDER_THE_FOLD,
  ].join('\n');
}

function glance(timeline: Timeline, facts: RunFacts): readonly string[] {
  if (timeline.state === 'pending') return waiting(timeline, facts);
  if (timeline.state === 'running') return running(timeline, facts);
  return ended(timeline, facts);
}

function waiting(timeline: Timeline, facts: RunFacts): readonly string[] {
  const { position, queueDeadlineAt, nextAttemptAt } = timeline;
  if (position === undefined) return [`### Asking for capacity${attemptOf(timeline, facts)}`];
  return [
    `### Waiting for a browser: position ${String(position)}${attemptOf(timeline, facts)}`,
    '',
    queueDeadlineAt === undefined
      ? 'Until its own earlier session is confirmed gone; only then the queue deadline begins.'
      : `Until ${clock(queueDeadlineAt)} at the latest, then it fails with \`queue_timeout\`.`,
    ...(nextAttemptAt === undefined
      ? []
      : [`The node refused it for want of room: not granted again before ${clock(nextAttemptAt)}.`]),
    'What runs and what waits: `darkroom capacity`.',
  ];
}

function running(timeline: Timeline, facts: RunFacts): readonly string[] {
  const { phase, startedAt, node, worker } = timeline.spans.at(-1) ?? {};
  const where = `on node \`${node ?? '?'}\`, worker \`${worker ?? '?'}\``;
  const since = startedAt === undefined ? '' : `Since ${clock(startedAt)} `;
  return [`### Running: ${phase ?? 'between steps'}${attemptOf(timeline, facts)}`, '', `${since}${where}.`];
}

function ended(timeline: Timeline, { objects }: RunFacts): readonly string[] {
  const { state, attempt, startedAt, endedAt, errorCode, errorMessage, evidence } = timeline;
  const took = `after ${String(attempt)} attempt${attempt === 1 ? '' : 's'}, ${String((endedAt ?? startedAt) - startedAt)} ms`;
  if (state === 'failed' && isErrorCode(errorCode)) {
    const { layer, actor, message } = ERRORS[errorCode];
    return [
      `### Failed: \`${errorCode}\` in the layer *${layer}*`,
      '',
      errorMessage ?? message,
      `${who(actor)} More: \`docs/errors.md#${errorCode}\`.`,
      `${took.replace('after', 'After')}${whereIt(timeline)}.`,
      ...(evidence === undefined
        ? []
        : ['', 'Evidence of the page it failed on:', '', ...listed(storedObjects(evidence))]),
    ];
  }
  return [
    `### ${state === 'succeeded' ? 'Succeeded' : 'Cancelled'} ${took}`,
    ...(Object.keys(objects).length === 0 ? [] : ['', ...listed(objects)]),
  ];
}

/** By name: a whole key is wider than the UI's column, which does not break it. Links expire, so none stands in a run. */
function listed(objects: Readonly<Record<string, StoredObject>>): readonly string[] {
  const names = Object.entries(objects).map(([field, { key, bytes }]) => {
    return `- ${field}: \`${key.slice(key.lastIndexOf('/') + 1)}\`, ${size(bytes)}`;
  });
  return [...names, '', 'Keys and links: `darkroom jobs show` with the id of this workflow.'];
}

function who(actor: 'caller' | 'operator' | 'nobody'): string {
  return actor === 'nobody' ? 'Nobody needs to act.' : `The ${actor} has to act.`;
}

/** The step that ended badly, where the last attempt has one. */
function whereIt({ spans, errorCode }: Timeline): string {
  const span = spans.findLast(({ outcome }) => outcome === errorCode);
  if (span === undefined) return '';
  const step = span.steps?.at(-1)?.step;
  return `: while ${step ?? span.phase} on node \`${span.node ?? '?'}\`, worker \`${span.worker ?? '?'}\``;
}

function attemptOf({ attempt }: Timeline, { attempts }: RunFacts): string {
  return ` (attempt ${String(attempt)} of ${String(attempts)})`;
}

function clock(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)} UTC`;
}

function size(bytes: number): string {
  return `${String(Math.ceil(bytes / 1_024))} KiB`;
}

function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
