import type { Replayed } from './replay.js';

/** One replay in words: whether it went the same way, and if not, where it parted and at which line. */
export function describeReplay({ name, events, divergence }: Pick<Replayed, 'name' | 'events' | 'divergence'>): string {
  if (divergence === undefined) return `ok        ${name} (${String(events)} events)`;
  const { eventId, history, code, source, message } = divergence;
  return [
    `DIVERGED  ${name}${eventId === undefined ? '' : ` at event ${String(eventId)}`}`,
    `  history   ${history}`,
    `  code      ${code}`,
    ...source.map((call, depth) => `  ${depth === 0 ? 'at       ' : '     from'} ${call}`),
    `  SDK       ${message}`,
  ].join('\n');
}
