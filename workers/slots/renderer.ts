import type { Browser } from 'playwright-core';
import {
  asFailure,
  connect,
  Deadline,
  createNodeApi,
  createObjectStore,
  HANDLERS,
  JobFailure,
  messageOf,
  objectKey,
  openBlankPage,
  resolveTarget,
  StepClock,
  watchPulse,
  Witness,
  type BlankPage,
  type Captured,
  type CaptureSession,
} from '../../activities/slot.js';
import {
  ERRORS,
  type Evidence,
  type Job,
  type Kind,
  type Results,
  type StepTime,
} from '../../workflows/contract/index.js';
import type { Configuration } from '../configuration/index.js';
import type { CaptureInput, OpenInput } from './protocol.js';

/** What runs inside a slot: at most one session, and nothing kept between two. */
export interface Renderer {
  open(deadline: Deadline, input: OpenInput): Promise<{ readonly browser: string }>;
  capture(deadline: Deadline, input: CaptureInput): Promise<Captured>;
  close(deadline: Deadline, how: 'orderly' | 'drop'): Promise<null>;
}

interface Session {
  readonly browser: Browser;
  readonly blank: Promise<BlankPage>;
  readonly witness: Promise<Witness>;
  readonly ended: AbortController;
}

/** Bound of each step of closing; the worker kills the slot when all of them together take too long. */
const CLOSE_STEP_MS = 5_000;
/** A page may be busy for seconds before it answers; longer than this, and it is taken for one that never will. */
const ANSWER_MS = 30_000;
/** An attempt that was stopped has two seconds until its slot is killed. */
const EVIDENCE_MS = 1_500;

export function createRenderer(configuration: Configuration): Renderer {
  const nodes = new Map(configuration.nodeConnections.map((connection) => [connection.node, connection]));
  const store = createObjectStore(configuration.storage);
  let session: Session | undefined;

  return {
    async open(deadline, { job, node, reservation, sessionMs }) {
      const connection = nodes.get(node);
      if (connection === undefined) throw new JobFailure('config_mismatch', `Node ${node}.`);
      if (session !== undefined) throw new Error('This slot holds a session already.');
      const browser = await connect(deadline, connection, createNodeApi(connection).dialUrl(reservation, sessionMs));
      const ended = new AbortController();
      browser.on('disconnected', () => {
        ended.abort(new JobFailure('connection_lost', `Node ${node} ended the session.`));
      });
      session = { browser, ...prepare(deadline.remainingMs, browser, ended.signal, job), ended };
      return { browser: browser.version() };
    },

    async capture(deadline, { job, grant, browser }) {
      if (session === undefined) throw new JobFailure('stale_generation', 'The session had been closed.');
      const { blank, witness, ended } = session;
      const done = new AbortController();
      watchPulse(session.browser, done.signal).catch((error: unknown) => {
        ended.abort(asFailure(error));
      });
      const url = resolveTarget(configuration.bases, job.input.target);
      const bound = deadline.joined(ended.signal);
      const clock = new StepClock();
      const saveUnder = (limit: Deadline) => async (name: string, bytes: Buffer, type: string) =>
        await store.put(limit, objectKey(grant.ticket.job, grant.reservation, name), bytes, type);
      try {
        const save: CaptureSession['store'] = (name, bytes, type) => {
          clock.enter('uploading');
          return saveUnder(bound)(name, bytes, type);
        };
        const enter: CaptureSession['enter'] = (step) => {
          clock.enter(step);
        };
        const result = await bound.race(
          handle(job, { deadline: bound, answerMs: ANSWER_MS, blank, url, browser, enter, store: save }),
        );
        return { result, steps: clock.times() };
      } catch (error) {
        const failure = withSteps(asFailure(error), clock.times());
        if (!(failure instanceof JobFailure && isOfThePage(failure) && !ended.signal.aborted)) throw failure;
        const { hide, mask } = job.input.page;
        const told = { id: grant.ticket.job, attempt: grant.ticket.attempt, isCovered: hide.length + mask.length > 0 };
        throw await withEvidence(failure, async (limit) => {
          const seen = await limit.race(witness);
          return seen.isAt(url.origin) ? await seen.testify(limit, failure, told, saveUnder(limit)) : undefined;
        });
      } finally {
        done.abort();
        bound.stop();
      }
    },

    async close(deadline, how) {
      const closing = session;
      session = undefined;
      if (closing === undefined) return null;
      const { blank, browser } = closing;
      if (how === 'orderly' && browser.isConnected()) await deadline.attempt(CLOSE_STEP_MS, () => closeContext(blank));
      const closed = await deadline.attempt(CLOSE_STEP_MS, async () => {
        await browser.close();
        return true;
      });
      // The worker kills a slot that fails to close: it must not be used again while it may hold a session.
      if (closed !== true) throw new JobFailure('connection_lost', 'The browser did not close in time.');
      return null;
    },
  };
}

/** Begins with the page while the opening is still being told; `ms` is what the slot's call has left. */
function prepare<K extends Kind>(
  ms: number,
  browser: Browser,
  ended: AbortSignal,
  job: Job<K>,
): Pick<Session, 'blank' | 'witness'> {
  const bound = Deadline.after(ms, 'connect_timeout', ended);
  const options = HANDLERS[job.kind].contextOptions(job.input);
  const blank = bound.race(openBlankPage(browser, options)).finally(() => {
    bound.stop();
  });
  // Begun before the capture can, so that nothing is said unheard.
  const witness = blank.then((opened) => new Witness(opened));
  witness.catch(() => undefined); // Told to the capture; there may be none.
  return { blank, witness };
}

async function handle<K extends Kind>({ kind, input }: Job<K>, session: CaptureSession): Promise<Results[K]> {
  return await HANDLERS[kind].capture(session, input);
}

/**
 * What a page looked like explains these; the others are explained by what their own layer logs. Of a target that is
 * forbidden nothing is kept: the job was not to see it.
 */
function isOfThePage({ code }: JobFailure): boolean {
  if (code === 'target_forbidden') return false;
  const { layer } = ERRORS[code];
  return layer === 'page' || layer === 'target' || code === 'attempt_timeout';
}

function withSteps(failure: Error, steps: readonly StepTime[]): Error {
  if (!(failure instanceof JobFailure)) return failure;
  return new JobFailure(failure.code, failure.detail, { cause: failure, steps });
}

/** Whatever becomes of the evidence, the failure itself is what is told. */
async function withEvidence(
  failure: JobFailure,
  testify: (limit: Deadline) => Promise<Evidence | undefined>,
): Promise<JobFailure> {
  const limit = Deadline.after(EVIDENCE_MS, 'attempt_timeout');
  const { code, detail, steps } = failure;
  try {
    return new JobFailure(code, detail, { cause: failure, steps, evidence: await limit.race(testify(limit)) });
  } catch (error) {
    return new JobFailure(code, `${detail} No evidence was kept: ${messageOf(error)}`, { cause: failure, steps });
  } finally {
    limit.stop();
  }
}

async function closeContext(blank: Promise<BlankPage>): Promise<void> {
  const opened = await blank.catch(() => undefined); // What did not open goes with the browser.
  await opened?.context.close();
}
