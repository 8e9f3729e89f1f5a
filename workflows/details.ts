import { ERRORS, isErrorCode, type Job, type Timeline, type TimelineSpan } from './contract/index.js';

/** The run as Temporal's UI shows it (Markdown): first the one line that an operator needs, then where the time went. */
export function describeTimeline(job: Job, timeline: Timeline): string {
  const { base, path } = job.input.target;
  return [
    headline(timeline),
    '',
    `\`${job.kind}\` of \`${base}:${path}\`, ${job.class}, workspace \`${job.workspace}\``,
    '',
    '| attempt | step | ms | where | how it ended |',
    '|---|---|---|---|---|',
    ...timeline.spans.map(row),
    ...evidence(timeline),
  ].join('\n');
}

function headline(timeline: Timeline): string {
  const { state, attempt, position, errorCode } = timeline;
  const open = timeline.spans.at(-1);
  if (state === 'failed' && isErrorCode(errorCode)) {
    const { layer, message } = ERRORS[errorCode];
    return `**failed** in the layer *${layer}*: \`${errorCode}\`. ${message}`;
  }
  if (state === 'pending') {
    return `**pending**: waits for capacity${position === undefined ? '' : `, position ${String(position)}`} (attempt ${String(attempt)})`;
  }
  if (state === 'running' && open !== undefined) {
    return `**running**: ${open.phase} on \`${open.node ?? '?'}\` (attempt ${String(attempt)})`;
  }
  return `**${state}** after ${String(attempt)} attempt${attempt === 1 ? '' : 's'}`;
}

function evidence({ evidence: kept }: Timeline): string[] {
  if (kept === undefined) return [];
  const keys = [kept.report, kept.picture].flatMap((object) => (object === null ? [] : `\`${object.key}\``));
  return ['', `Evidence, in the bucket: ${keys.join(', ')}. \`darkroom jobs show\` gives links.`];
}

function row(span: TimelineSpan): string {
  const ms = span.endedAt === undefined ? '…' : String(span.endedAt - span.startedAt);
  const where = span.node === undefined ? '' : `\`${span.node}\` / \`${span.worker ?? '?'}\``;
  return `| ${String(span.attempt)} | ${span.phase} | ${ms} | ${where} | ${span.outcome ?? ''} |`;
}
