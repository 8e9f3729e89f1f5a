import type { History } from '@temporalio/common/lib/proto-utils.js';
import { historyFromJson } from './proto-json.js';

export type HistoryEvent = NonNullable<History['events']>[number];

export class HistoryFormatError extends Error {
  override readonly name = 'HistoryFormatError';
}

/**
 * Reads a history in JSON: of `temporal workflow show --output json`, of the UI's download (an object with `events`, or
 * the events alone), or the SDK's proto JSON. Fails with `HistoryFormatError`.
 */
export function parseHistory(text: string): History {
  try {
    const document = JSON.parse(text) as unknown;
    const history = historyFromJson(Array.isArray(document) ? { events: document } : document);
    if ((history.events ?? []).length === 0) throw new TypeError('no events');
    return history;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HistoryFormatError(`No workflow history in JSON (events as the server keeps them): ${reason}`);
  }
}

/** The workflow id that the history itself names, where the server wrote it. */
export function workflowIdOf(history: History): string | undefined {
  const id = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  return id === null || id === '' ? undefined : id;
}

/** `ActivityTaskScheduled` and the like, from the one field of attributes that an event has. */
export function eventType(event: HistoryEvent): string {
  const field = Object.entries(event).find(
    ([name, value]) => name.endsWith('EventAttributes') && value !== null && value !== undefined,
  );
  const name = field?.[0].slice(0, -'EventAttributes'.length) ?? 'Unknown';
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

export function eventId(event: HistoryEvent): number {
  return Number(event.eventId);
}

/** What an operator recognises the event by: its type, and of an activity its name. */
export function describeEvent(event: HistoryEvent): string {
  const activity = event.activityTaskScheduledEventAttributes?.activityType?.name;
  return activity === undefined || activity === null ? eventType(event) : `${eventType(event)} of ${activity}`;
}
