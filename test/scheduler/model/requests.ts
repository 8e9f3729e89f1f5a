import type { CapacityRequest, Grant, RefusalCode, RequestAnswer, Ticket } from '../../../scheduler/index.js';
import { beginDeadline, closeRequest, endLease } from './endings.js';
import { compareAge, hasRoom, runPass } from './pass.js';
import { grantOf, type Job, type ModelState, newJob, refOf, type Request, type Reservation } from './state.js';

interface Admission {
  readonly refusal: RefusalCode | null;
  /** What a pass granted on the way. */
  readonly granted: readonly Reservation[];
}

/** A ticket that has not been seen: claims the job, replaces the job's older ticket, waits, and may be granted. */
export function enter(state: ModelState, request: CapacityRequest, now: number): Admission {
  const { ticket } = request;
  const known = state.jobs.get(ticket.job);
  const job = known ?? newJob(request, state.jobs.size, now);
  const admission = known === undefined ? admit(state, job, request, now) : { refusal: null, granted: [] };
  if (admission.refusal !== null) return admission;
  state.jobs.set(job.job, job);
  const older = state.requests.get(job.job);
  if (older !== undefined) supersede(state, older, now);
  job.runId = ticket.runId;
  job.attempt = ticket.attempt;
  const entered: Request = {
    job,
    ticket,
    contractVersion: request.contractVersion,
    requestedAt: now,
    queueMs: request.queueMs,
    deadline: null,
    state: 'waiting',
    notBefore: now,
    refusals: 0,
    last: null,
  };
  state.requests.set(job.job, entered);
  beginDeadline(state, job.job, now);
  state.record('requested', entered, null, now);
  return { refusal: null, granted: [...admission.granted, ...runPass(state, now)] };
}

/** A job's first request is refused when a queue is full, unless it would be granted at once. */
function admit(state: ModelState, job: Job, request: CapacityRequest, now: number): Admission {
  if (fullQueue(state, job) === null) return { refusal: null, granted: [] };
  const granted = runPass(state, now);
  const room = hasRoom(state, { job, contractVersion: request.contractVersion }, now);
  return { refusal: room ? null : fullQueue(state, job), granted };
}

function fullQueue(state: ModelState, job: Job): RefusalCode | null {
  const { limits } = state;
  const waiting = state.waiting();
  if (waiting.length >= limits.waiting) return 'queue_full';
  const inWorkspace = waiting.filter((other) => other.job.workspace === job.workspace).length;
  if (inWorkspace >= limits.waitingPerWorkspace) return 'workspace_queue_full';
  const ofUser = waiting.filter((other) => other.job.user === job.user).length;
  return ofUser >= limits.waitingPerUser ? 'user_queue_full' : null;
}

function supersede(state: ModelState, older: Request, now: number): void {
  if (older.state === 'held' && older.last !== null) {
    endLease(state, older.last, 'superseded', now);
  } else if (older.state === 'waiting') {
    state.record('withdrawn', older, 'superseded', now);
  }
  closeRequest(state, older);
}

/** The answer to a ticket that starts nothing new: the job is done, or the ticket is known or from the past. */
export function settledAnswer(state: ModelState, ticket: Ticket, now: number): RequestAnswer | null {
  const done = state.doneAnswer(ticket.job, now);
  if (done !== null) return done;
  if (state.isBuried(ticket) || state.requestOf(ticket) !== undefined) return presentAnswer(state, ticket, now);
  const job = state.jobs.get(ticket.job);
  if (job === undefined) return null;
  const past = job.runId === ticket.runId ? ticket.attempt < job.attempt : state.hasBuriedRun(ticket);
  if (!past) return null;
  state.bury(ticket);
  return { state: 'withdrawn' };
}

/** Whoever is told of a grant here has it delivered. */
export function presentAnswer(state: ModelState, ticket: Ticket, now: number): RequestAnswer {
  const request = state.requestOf(ticket);
  if (request === undefined || state.isBuried(ticket)) return { state: 'withdrawn' };
  if (request.state === 'waiting') {
    const line = state
      .waiting()
      .filter((other) => other.job.class === request.job.class && compareAge(other, request) < 0);
    const remainingMs = request.deadline === null ? null : Math.max(0, request.deadline - now);
    return { state: 'queued', position: 1 + line.length, remainingMs };
  }
  if (request.last === null) throw new Error('a request that does not wait was granted before');
  if (request.state === 'ended') return { state: 'ended', last: refOf(request.last) };
  request.last.delivered = true;
  return { state: 'granted', grant: grantOf(request.last) };
}

/** What was granted to others than the one that is told of its own grant. */
export function grantsToOthers(granted: readonly Reservation[], answer: RequestAnswer): Grant[] {
  const own = answer.state === 'granted' ? answer.grant.reservation : null;
  return granted.filter((reservation) => reservation.reservation !== own).map(grantOf);
}
