import type { JobClass } from '../../../scheduler/index.js';
import type { ModelState, Node, Request, Reservation, Worker } from './state.js';

/** Grants until no eligible request waits. */
export function runPass(state: ModelState, now: number): Reservation[] {
  const granted: Reservation[] = [];
  for (;;) {
    const eligible = eligibleRequests(state, now);
    const chosen = nextRequest(state, eligible, now);
    if (chosen === undefined) return granted;
    state.decisions.push({ chosen, eligible });
    granted.push(grant(state, chosen, now));
  }
}

/** Due, not paused, with room for global, agents, workspace and user, and with a node and a worker. */
export function eligibleRequests(state: ModelState, now: number): Request[] {
  return state.waiting().filter((request) => isDue(request, now) && hasRoom(state, request, now));
}

export function hasRoom(state: ModelState, request: Pick<Request, 'job' | 'contractVersion'>, now: number): boolean {
  const { job, contractVersion } = request;
  const live = state.live();
  const running = (matches: (reservation: Reservation) => boolean) => live.filter(matches).length;
  return (
    !state.paused &&
    live.length < state.limits.running &&
    running((other) => other.job.workspace === job.workspace) < state.limits.runningPerWorkspace &&
    userHasRoom(state, job.user) &&
    (!isAgent(job.kind) || running((other) => isAgent(other.job.kind)) < state.limits.runningAgents) &&
    choosePair(state, contractVersion, now) !== undefined
  );
}

/** Class by the cycle, workspace and user by turns, then first in, first out. */
function nextRequest(state: ModelState, eligible: readonly Request[], now: number): Request | undefined {
  const chosenClass = nextClass(state, eligible);
  if (chosenClass === undefined) return undefined;
  const ofClass = eligible.filter(({ job }) => job.class === chosenClass);
  const workspace = leastRecentlyServed(state, ofClass, now, workspaceKey);
  const ofWorkspace = ofClass.filter((request) => workspaceKey(request) === workspace);
  const user = leastRecentlyServed(state, ofWorkspace, now, userKey);
  return oldest(ofWorkspace.filter((request) => userKey(request) === user));
}

function nextClass(state: ModelState, eligible: readonly Request[]): JobClass | undefined {
  const classes = new Set(eligible.map(({ job }) => job.class));
  if (classes.size < 2) return [...classes][0];
  const place = state.cycle;
  state.cycle = (place + 1) % 4;
  return place === 3 ? 'background' : 'interactive';
}

/** Never served comes first, the one with the oldest due request leading; then the one whose turn is longest ago. */
function leastRecentlyServed(
  state: ModelState,
  eligible: readonly Request[],
  now: number,
  key: (request: Request) => string,
): string | undefined {
  const keys = [...new Set(eligible.map(key))];
  const heads = state.waiting().filter((request) => isDue(request, now) && userHasRoom(state, request.job.user));
  const rank = (candidate: string) => ({
    turn: state.served.get(candidate) ?? 0,
    head: oldest(heads.filter((request) => key(request) === candidate)),
  });
  return keys
    .map((candidate) => ({ candidate, ...rank(candidate) }))
    .sort((a, b) => a.turn - b.turn || compareAge(a.head, b.head))[0]?.candidate;
}

function grant(state: ModelState, request: Request, now: number): Reservation {
  const { job, ticket } = request;
  const pair = choosePair(state, request.contractVersion, now);
  if (pair === undefined) throw new Error('an eligible request has a node and a worker');
  state.turn += 1;
  job.generation += 1;
  const { leaseMs, connectMs } = state.leases;
  const { sessionLimitMs, node } = pair.node.entry;
  const reservation: Reservation = {
    reservation: `${job.job}#${job.generation}`,
    generation: job.generation,
    job,
    ticket,
    node,
    worker: pair.worker.registration.worker,
    turn: state.turn,
    grantedAt: now,
    waitedMs: now - request.requestedAt,
    refusals: request.refusals,
    sessionLimitMs,
    state: 'granted',
    leaseExpires: now + leaseMs,
    hardExpires: now + leaseMs + connectMs + sessionLimitMs,
    delivered: false,
    nonce: null,
    activatedAt: null,
    quarantinedAt: 0,
    reason: null,
  };
  request.state = 'held';
  request.last = reservation;
  pair.node.lastUsed = state.turn;
  pair.worker.lastUsed = state.turn;
  state.reservations.set(reservation.reservation, reservation);
  state.served.set(workspaceKey(request), state.turn);
  state.served.set(userKey(request), state.turn);
  state.record('granted', reservation, null, now);
  return reservation;
}

/** The node with the highest free ratio, then the least recently used; its workers the same, its zone's first. */
function choosePair(
  state: ModelState,
  contractVersion: number,
  now: number,
): { readonly node: Node; readonly worker: Worker } | undefined {
  const live = state.live();
  const pairs = [...state.nodes.values()].flatMap((node) => {
    const used = live.filter((reservation) => reservation.node === node.entry.node).length;
    if (!nodeIsUsable(node, used, now)) return [];
    const workers = [...state.workers.values()].flatMap((worker) => {
      const load = live.filter((reservation) => reservation.worker === worker.registration.worker).length;
      const slots = Math.min(worker.registration.slots, state.limits.runningPerWorker);
      if (load >= slots || !workerIsUsable(state, worker, node, contractVersion, now)) return [];
      const near = node.entry.zone !== null && worker.registration.zone === node.entry.zone;
      return [{ worker, far: near ? 0 : 1, free: 1 - load / slots }];
    });
    workers.sort(
      (a, b) =>
        a.far - b.far ||
        b.free - a.free ||
        a.worker.lastUsed - b.worker.lastUsed ||
        compareText(a.worker.registration.worker, b.worker.registration.worker),
    );
    return workers[0] === undefined
      ? []
      : [{ node, worker: workers[0].worker, free: 1 - used / node.entry.maxSessions }];
  });
  pairs.sort(
    (a, b) => b.free - a.free || a.node.lastUsed - b.node.lastUsed || compareText(a.node.entry.node, b.node.entry.node),
  );
  return pairs[0];
}

function nodeIsUsable(node: Node, used: number, now: number): boolean {
  return (
    node.entry.enabled &&
    !node.draining &&
    node.health === 'healthy' &&
    node.coolingUntil <= now &&
    used < node.entry.maxSessions
  );
}

function workerIsUsable(state: ModelState, worker: Worker, node: Node, contractVersion: number, now: number): boolean {
  const { registration } = worker;
  return (
    !worker.removed &&
    !worker.draining &&
    now - worker.heartbeatAt <= state.leases.workerSuspectMs &&
    registration.contractVersions.includes(contractVersion) &&
    registration.nodeHashes[node.entry.node] === node.entry.hash
  );
}

/** Turns are taken within a class. */
function workspaceKey({ job }: Request): string {
  return `${job.class} ${job.workspace}`;
}

function userKey({ job }: Request): string {
  return `${job.class} ${job.workspace} ${job.user}`;
}

function userHasRoom(state: ModelState, user: string): boolean {
  return state.live().filter((reservation) => reservation.job.user === user).length < state.limits.runningPerUser;
}

function isDue(request: Request, now: number): boolean {
  return request.notBefore <= now;
}

export function isAgent(kind: string): boolean {
  return kind === 'agent_run';
}

function oldest(requests: readonly Request[]): Request | undefined {
  return [...requests].sort(compareAge)[0];
}

/** The total order: submit time, then sequence. */
export function compareAge(a: Request | undefined, b: Request | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a.job.submittedAt - b.job.submittedAt || a.job.seq - b.job.seq;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
