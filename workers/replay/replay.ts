import type { DeterminismViolationError, Sinks } from '@temporalio/workflow';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  ReplayError,
  Runtime,
  Worker,
  type InjectedSinks,
} from '@temporalio/worker';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { withProbe } from './bundle.js';
import { divergence, type Command, type Divergence } from './divergence.js';
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
  readonly replay: {
    command(command: Omit<Command, 'stack'>, stack: string): void;
    failed(error: string, stack: string): void;
  };
}

/** What the code of one history has done so far. */
interface Trace {
  readonly commands: Command[];
  /** The last error that came out of the code, and where it was thrown. */
  error?: { readonly text: string; readonly stack: string };
}

let installed = false;

/** The SDK's runtime is one a process. Its warnings are what the result says anyway. */
function installRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
}

/** Replays histories one after the other against a workflow bundle (its code, with its source map inline). */
export async function* replayHistories(
  bundle: string,
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
): AsyncGenerator<Replayed> {
  installRuntime();
  let current: { readonly given: NamedHistory; readonly trace: Trace } | undefined;
  async function* given(): AsyncGenerator<{ workflowId: string; history: History }> {
    for await (const one of histories) {
      current = { given: one, trace: { commands: [] } };
      yield { workflowId: one.workflowId, history: one.history };
    }
  }
  const sinks = sinksInto(() => current?.trace);
  const options = { workflowBundle: { code: withProbe(bundle) }, sinks };
  for await (const { error } of Worker.runReplayHistories(options, given())) {
    if (current === undefined) throw new Error('A result without a history.');
    const { name, workflowId, history } = current.given;
    const events = history.events ?? [];
    yield {
      name,
      workflowId,
      events: events.length,
      commands: current.trace.commands,
      ...(error !== undefined && { divergence: describe(events, current.trace, error) }),
    };
  }
}

function sinksInto(trace: () => Trace | undefined): InjectedSinks<ProbeSinks> {
  return {
    replay: {
      command: {
        fn: (_, command, stack) => void trace()?.commands.push({ ...command, stack }),
        callDuringReplay: true,
      },
      failed: {
        fn: (_, text, stack) => {
          const current = trace();
          if (current !== undefined) current.error = { text, stack };
        },
        callDuringReplay: true,
      },
    },
  };
}

/** An error that fails the workflow task is no divergence of commands: then it, and where it was thrown, is what the code did. */
function describe(
  events: NonNullable<History['events']>,
  { commands, error: thrown }: Trace,
  error: ReplayError | DeterminismViolationError,
): Divergence {
  const found = divergence(events, commands, error.message);
  if (!(error instanceof ReplayError) || thrown === undefined) return found;
  return { ...found, code: `threw ${thrown.text}`, source: callsIn(thrown.stack) };
}
