import type { Sinks } from '@temporalio/workflow';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type InjectedSinks,
  type LogEntry,
} from '@temporalio/worker';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { withProbe } from './bundle.js';
import { divergence, part, type Command, type Divergence } from './divergence.js';
import { callsIn } from './stack.js';

export interface NamedHistory {
  /** What the user called it: a workflow id or a file. */
  readonly name: string;
  readonly workflowId: string;
  readonly history: History;
}

export interface Replayed {
  readonly name: string;
  readonly workflowId: string;
  readonly events: number;
  readonly divergence?: Divergence;
  /** What the code did, as far as it came. */
  readonly commands: readonly Command[];
}

/** What the probe calls, from inside the sandbox. */
interface ProbeSinks extends Sinks {
  readonly replay: { command(command: Omit<Command, 'stack'>, stack: string): void };
}

/** What the code threw in a workflow task, which fails the task and not the workflow. */
let thrown: Pick<Error, 'name' | 'message' | 'stack'> | undefined;
let installed = false;

/** The SDK's runtime is one a process. Its warnings are what the result says anyway. */
function installRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR', keepError),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
}

function keepError({ meta }: LogEntry): void {
  // An error of the sandbox is of another realm, so it is no instance of this one's Error.
  const error = meta?.['error'] as Partial<Error> | undefined;
  if (typeof error?.message === 'string') thrown = picked(error);
}

function picked({ name = 'Error', message = '', stack = '' }: Partial<Error>) {
  return { name, message, stack };
}

/** Replays histories one after the other against a workflow bundle (its code, with its source map inline). */
export async function* replayHistories(
  bundle: string,
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
): AsyncGenerator<Replayed> {
  installRuntime();
  let current: NamedHistory | undefined;
  let commands: Command[] = [];
  const told = (_: unknown, command: Omit<Command, 'stack'>, stack: string): void => {
    commands.push({ ...command, stack });
  };
  const sinks: InjectedSinks<ProbeSinks> = { replay: { command: { fn: told, callDuringReplay: true } } };
  async function* given(): AsyncGenerator<{ workflowId: string; history: History }> {
    for await (const one of histories) {
      current = one;
      commands = [];
      thrown = undefined;
      yield { workflowId: one.workflowId, history: one.history };
    }
  }
  for await (const { error } of Worker.runReplayHistories(
    { workflowBundle: { code: withProbe(bundle) }, sinks },
    given(),
  )) {
    if (current === undefined) throw new Error('A result without a history.');
    const { name, workflowId, history } = current;
    const events = history.events ?? [];
    yield {
      name,
      workflowId,
      events: events.length,
      commands,
      ...(error !== undefined && { divergence: describe(events, commands, error) }),
    };
  }
}

function describe(events: NonNullable<History['events']>, commands: readonly Command[], error: Error): Divergence {
  const found = divergence(events, commands, error.message);
  if (thrown === undefined || part(events, commands).command !== undefined) return found;
  return { ...found, code: `threw ${thrown.name}: ${thrown.message}`, source: callsIn(thrown.stack ?? '') };
}
