import {
  ERRORS,
  type ErrorCode,
  type RequestEntry,
  type ScenarioProblem,
  type ScenarioState,
} from '../../../workflows/contract/index.js';
import { JobFailure } from '../../failure.js';
import { asFailure } from '../classify.js';
import type { Observer } from '../diagnosis/index.js';
import { excerpt } from '../excerpt.js';
import type { Visit } from '../visit.js';
import { mappedStack } from './mapped-stack.js';
import { UNAVAILABLE, type PreviewAnswer } from './preview.js';

export interface Explained {
  readonly state: Exclude<ScenarioState, 'ok'>;
  readonly problem: ScenarioProblem;
}

const LONGEST_MESSAGE = 1_000;

/** Codes that are the scenario's own, beside those of its host's document. Any other is the job's, or a defect of ours. */
const STATES: Partial<Readonly<Record<ErrorCode, Explained['state']>>> = {
  source_error: 'source_error',
  selector_not_found: 'not_ready',
  attempt_timeout: 'not_ready',
  page_crashed: 'unavailable',
  out_of_memory: 'unavailable',
  connection_lost: 'unavailable',
};

/** What a visit failed with, where that is the scenario's own; everything else is thrown on. */
export function explainFailure(error: unknown): Explained {
  const failure = asFailure(error);
  if (!(failure instanceof JobFailure)) throw failure;
  const { code, message } = failure;
  const ofDocument = ERRORS[code].layer === 'target' && code !== 'target_forbidden' ? 'unavailable' : undefined;
  const state = STATES[code] ?? ofDocument;
  if (state === undefined) throw failure;
  return { state, problem: { code, message, stack: [] } };
}

/** Why a host has not said that its component has mounted. */
export async function explainHost(visit: Visit, answer: PreviewAnswer, observer: Observer): Promise<Explained> {
  if (answer.state === 'failed') return await explainRejection(visit, answer);
  // A host that does not catch what its component throws never gets to answer.
  const uncaught = observer.firstError;
  if (uncaught !== undefined) return await sourceError(visit, uncaught.message, uncaught.stack ?? '');
  const script = observer.observed.requests.remarkable.items.find(isMissingScript);
  if (script !== undefined) {
    return {
      state: 'unavailable',
      problem: { code: null, message: `The host’s script ${script.url} could not be loaded.`, stack: [] },
    };
  }
  const message =
    answer.state === 'silent'
      ? 'The host never set window.darkroomReady. Does it speak the preview protocol?'
      : 'The host’s promise window.darkroomReady was still pending.';
  return { state: 'not_ready', problem: { code: null, message, stack: [] } };
}

async function explainRejection(
  visit: Visit,
  { name, message, stack }: Extract<PreviewAnswer, { state: 'failed' }>,
): Promise<Explained> {
  if (name !== UNAVAILABLE) return await sourceError(visit, message, stack);
  return { state: 'unavailable', problem: { code: null, message: excerpt(message, LONGEST_MESSAGE), stack: [] } };
}

async function sourceError(visit: Visit, message: string, stack: string): Promise<Explained> {
  const problem: ScenarioProblem = {
    code: 'source_error',
    message: excerpt(message, LONGEST_MESSAGE),
    stack: await mappedStack(visit, stack),
  };
  return { state: 'source_error', problem };
}

function isMissingScript({ type, problem }: RequestEntry): boolean {
  return type === 'script' && (problem === 'failed' || problem === 'http_error');
}
