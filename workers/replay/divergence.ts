import { describeEvent, eventId, eventType, type HistoryEvent } from './history.js';
import { callsIn } from './stack.js';

/** A command that the replayed code gave, in order, with the stack of the call that gave it. */
export interface Command {
  /** As the SDK names it, for example `scheduleActivity`. */
  readonly kind: string;
  readonly seq?: number | undefined;
  readonly activity?: string | undefined;
  readonly stack: string;
}

/** Where a history and the code part for the first time. */
export interface Divergence {
  /** The event that the code would have had to bring about; missing when the history ends before. */
  readonly eventId?: number;
  readonly eventType?: string;
  readonly history: string;
  readonly code: string;
  /** `file:line function`, innermost first: the call that gave the command, or the last one before it. */
  readonly source: readonly string[];
  /** What the SDK says. */
  readonly message: string;
}

/** The event that each command brings about. Others bring about none. */
const EVENT_OF: Readonly<Record<string, string>> = {
  scheduleActivity: 'ActivityTaskScheduled',
  requestCancelActivity: 'ActivityTaskCancelRequested',
  scheduleLocalActivity: 'MarkerRecorded',
  setPatchMarker: 'MarkerRecorded',
  startTimer: 'TimerStarted',
  cancelTimer: 'TimerCanceled',
  startChildWorkflowExecution: 'StartChildWorkflowExecutionInitiated',
  signalExternalWorkflowExecution: 'SignalExternalWorkflowExecutionInitiated',
  requestCancelExternalWorkflowExecution: 'RequestCancelExternalWorkflowExecutionInitiated',
  upsertWorkflowSearchAttributes: 'UpsertWorkflowSearchAttributes',
  modifyWorkflowProperties: 'WorkflowPropertiesModified',
  'updateResponse.accepted': 'WorkflowExecutionUpdateAccepted',
  'updateResponse.completed': 'WorkflowExecutionUpdateCompleted',
  completeWorkflowExecution: 'WorkflowExecutionCompleted',
  failWorkflowExecution: 'WorkflowExecutionFailed',
  cancelWorkflowExecution: 'WorkflowExecutionCanceled',
  continueAsNewWorkflowExecution: 'WorkflowExecutionContinuedAsNew',
};
const COMMAND_EVENTS = new Set(Object.values(EVENT_OF));

/** Begun and taken back within one workflow task, the server never hears of them. */
const TAKEN_BACK_BY: Readonly<Record<string, string>> = {
  startTimer: 'cancelTimer',
  scheduleActivity: 'requestCancelActivity',
};

interface Parting {
  readonly event: HistoryEvent | undefined;
  readonly command: Command | undefined;
  /** The last one on which both agree. */
  readonly before: Command | undefined;
}

/**
 * Describes a divergence that the SDK found. The SDK names an event at best; the rest comes from pairing the commands that
 * the code gave with the events that such commands bring about.
 */
export function divergence(events: readonly HistoryEvent[], commands: readonly Command[], message: string): Divergence {
  const parting = part(events, commands);
  const named = eventNamedIn(message);
  const event = parting.event ?? events.find((candidate) => eventId(candidate) === named);
  return {
    ...(event !== undefined && { eventId: eventId(event), eventType: eventType(event) }),
    history: event === undefined ? 'nothing more' : describeEvent(event),
    code: parting.command === undefined ? 'nothing more' : describeCommand(parting.command),
    source: sourceOf(parting),
    message,
  };
}

/** The first event and command that do not belong together; neither when all commands have their events. */
export function part(events: readonly HistoryEvent[], commands: readonly Command[]): Parting {
  const left = commands.filter(({ kind }) => EVENT_OF[kind] !== undefined);
  let before: Command | undefined;
  for (const event of events.filter((candidate) => COMMAND_EVENTS.has(eventType(candidate)))) {
    let command = left.shift();
    while (command !== undefined && !belong(event, command) && takeBack(command, left)) command = left.shift();
    if (command === undefined || !belong(event, command)) return { event, command, before };
    before = command;
  }
  return { event: undefined, command: left[0], before };
}

function belong(event: HistoryEvent, command: Command): boolean {
  if (eventType(event) !== EVENT_OF[command.kind]) return false;
  return (
    command.activity === undefined ||
    event.activityTaskScheduledEventAttributes?.activityType?.name === command.activity
  );
}

/** Removes what takes the command back, if anything does. */
function takeBack({ kind, seq }: Command, left: Command[]): boolean {
  const index = left.findIndex((later) => later.kind === TAKEN_BACK_BY[kind] && later.seq === seq);
  if (index === -1) return false;
  left.splice(index, 1);
  return true;
}

function describeCommand({ kind, activity }: Command): string {
  return activity === undefined ? kind : `${kind} of ${activity}`;
}

function sourceOf({ command, before }: Parting): readonly string[] {
  const own = command === undefined ? [] : callsIn(command.stack);
  return own.length > 0 || before === undefined ? own : callsIn(before.stack);
}

/** The SDK tells the event in text only. */
function eventNamedIn(message: string): number | undefined {
  const id = /HistoryEvent\(id: (\d+)/.exec(message)?.[1];
  return id === undefined ? undefined : Number(id);
}
