import { expect, test } from 'vitest';
import { divergence, part, type Command } from '../../../workers/replay/divergence.js';
import { HistoryFormatError, parseHistory, workflowIdOf } from '../../../workers/replay/history.js';

const activity = (eventId: number, name: string) => ({
  eventId: String(eventId),
  eventType: 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
  activityTaskScheduledEventAttributes: { activityType: { name } },
});
const plain = (eventId: number, type: string) => ({ eventId: String(eventId), [`${type}EventAttributes`]: {} });

const started = {
  eventId: '1',
  eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
  eventTime: '2026-01-01T00:00:00Z',
  workflowExecutionStartedEventAttributes: { workflowId: 'page_screenshot/w/1' },
};

function events(...more: object[]) {
  return parseHistory(JSON.stringify({ events: [started, ...more] })).events ?? [];
}

function command(kind: string, name?: string, seq = 1): Command {
  return {
    kind,
    seq,
    activity: name,
    stack: `Error: command\n    at ${name ?? kind} (/x/workflows/a.ts:${String(seq)}:3)`,
  };
}

const schedule = (name: string, seq = 1): Command => command('scheduleActivity', name, seq);

test('commands that the history has in this order part nowhere', () => {
  const history = events(activity(5, 'a'), plain(6, 'timerStarted'), plain(7, 'workflowExecutionCompleted'));
  const commands = [schedule('a'), command('startTimer'), command('completeWorkflowExecution')];
  expect(part(history, commands)).toMatchObject({ event: undefined, command: undefined });
});

test('another activity than the history has is named with its own line', () => {
  const found = divergence(events(activity(5, 'a'), activity(9, 'b')), [schedule('a'), schedule('c', 2)], 'said');
  expect(found).toEqual({
    eventId: 9,
    eventType: 'ActivityTaskScheduled',
    history: 'ActivityTaskScheduled of b',
    code: 'scheduleActivity of c',
    source: ['workflows/a.ts:2 c'],
    message: 'said',
  });
});

test('code that does nothing more is told with the last line that did something', () => {
  const found = divergence(events(activity(5, 'a'), activity(9, 'b')), [schedule('a')], 'said');
  expect(found).toMatchObject({ eventId: 9, code: 'nothing more', source: ['workflows/a.ts:1 a'] });
});

test('code that goes on after the history has ended is told without a command’s event, but with the one that the SDK names', () => {
  const history = events(activity(5, 'a'), plain(9, 'workflowTaskStarted'));
  const message = 'Activity machine does not handle this event: HistoryEvent(id: 9, WorkflowTaskStarted)';
  expect(divergence(history, [schedule('a'), schedule('c', 2)], message)).toMatchObject({
    eventId: 9,
    history: 'WorkflowTaskStarted',
    code: 'scheduleActivity of c',
  });
  expect(divergence(history, [schedule('a'), schedule('c', 2)], 'said')).toMatchObject({ history: 'nothing more' });
});

test('a timer that is taken back within its workflow task has no events', () => {
  const commands = [command('startTimer', undefined, 4), command('cancelTimer', undefined, 4), schedule('a')];
  expect(part(events(activity(5, 'a')), commands)).toMatchObject({ event: undefined, command: undefined });
});

test('a history is read with its events alone, as it is downloaded too, and names its workflow', () => {
  const history = parseHistory(JSON.stringify([started]));
  expect(workflowIdOf(history)).toBe('page_screenshot/w/1');
});

test.each(['', '[]', '{}', '{"events":[]}', '{"events":[{"eventId":{}}]}', '"x"', 'null'])(
  '%j is no history',
  (text) => {
    expect(() => parseHistory(text)).toThrow(HistoryFormatError);
  },
);
