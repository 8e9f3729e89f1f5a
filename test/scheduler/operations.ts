import fc from 'fast-check';
import type {
  ArtifactRef,
  Capacity,
  CapacityRequest,
  Consumption,
  JobClass,
  Leases,
  Limits,
  NodeEntry,
  QuarantineReason,
  RequeueReason,
  ReservationRef,
  Ticket,
  WorkerRegistration,
} from '../../scheduler/index.js';

/** A job's identity, the same in all of its requests. */
export interface Identity {
  readonly class: JobClass;
  readonly kind: string;
  readonly workspace: string;
  readonly user: string;
}

/** Which of the latest grants an operation is about, and whether with a generation that is too old. */
interface Pick {
  readonly back: number;
  readonly old: boolean;
}

interface Asking {
  readonly job: number;
  readonly run: number;
  readonly attempt: number;
}

/** What a consumer expects: what the job was asked for, or something of it different. */
type Expected = 'same' | 'other digest' | 'other artifact' | 'other version' | 'no artifact';

export type Operation =
  | ({ readonly op: 'request'; readonly digest: string; readonly queueMs: number; readonly version: number } & Asking)
  | ({ readonly op: 'withdraw'; readonly keepGrant: boolean } & Asking)
  | ({ readonly op: 'activate'; readonly nonce: string } & Pick)
  | ({ readonly op: 'commit'; readonly attempt: number | null } & Pick)
  | { readonly op: 'consume'; readonly job: number; readonly by: string; readonly expected: Expected }
  | { readonly op: 'renew'; readonly worker: string }
  | ({ readonly op: 'release' } & Pick)
  | ({ readonly op: 'requeue'; readonly reason: RequeueReason; readonly delayMs: number } & Pick)
  | ({ readonly op: 'quarantine'; readonly reason: QuarantineReason } & Pick)
  | ({ readonly op: 'confirmGone'; readonly barred: boolean } & Pick)
  | ({ readonly op: 'free' } & Pick)
  | { readonly op: 'sweep' }
  | ({ readonly op: 'delivered' } & Pick)
  | { readonly op: 'pause'; readonly paused: boolean }
  | { readonly op: 'registerWorker'; readonly registration: WorkerRegistration }
  | { readonly op: 'drainWorker'; readonly worker: string }
  | { readonly op: 'removeWorker'; readonly worker: string }
  | { readonly op: 'applyNodes'; readonly nodes: readonly NodeEntry[] }
  | { readonly op: 'reportNodes'; readonly node: string; readonly health: 'healthy' | 'suspect' | 'down' }
  | { readonly op: 'applyLimits'; readonly limits: Limits };

export interface Step {
  readonly afterMs: number;
  readonly operation: Operation;
  /** Called once more with the same arguments at the same time. */
  readonly twice: boolean;
}

/** What operations refer to by number. */
export interface Cast {
  readonly identities: readonly Identity[];
  /** Grants so far, the latest last, by the names that the capacity under test has for them. */
  readonly grants: readonly (ReservationRef & { readonly ticket: Ticket; readonly worker: string })[];
}

/** Short, so that random steps reach every expiry. */
export const testLeases: Leases = { leaseMs: 4_000, connectMs: 1_000, workerSuspectMs: 2_000 };
const sessionLimitMs = 10_000;
const jobs = 24;
/** So many wait before the random steps begin, so that there is something to choose from. */
const crowd = 14;
const workers = ['w1', 'w2', 'w3'] as const;

/** Operations that run a pass: after them no eligible request waits. */
export function runsPass({ op }: Operation): boolean {
  return !['activate', 'commit', 'consume', 'quarantine', 'delivered', 'drainWorker', 'removeWorker'].includes(op);
}

export async function perform(capacity: Capacity, { operation, at, cast }: Performance): Promise<unknown> {
  if ('back' in operation) return performOnGrant(capacity, { operation, at, cast });
  switch (operation.op) {
    case 'request':
      return capacity.request(requestFrom(operation, cast), at);
    case 'withdraw':
      return capacity.withdraw(ticketFrom(operation), { keepGrant: operation.keepGrant }, at);
    case 'consume':
      return capacity.consume(consumptionFrom(operation), at);
    case 'renew': {
      const held = cast.grants.filter((grant) => grant.worker === operation.worker).slice(-4);
      return capacity.renew(operation.worker, held, at);
    }
    case 'sweep':
      return capacity.sweep(at);
    case 'pause':
      return capacity.pause(operation.paused, at);
    case 'registerWorker':
      return capacity.registerWorker(operation.registration, at);
    case 'drainWorker':
      return capacity.drainWorker(operation.worker, at);
    case 'removeWorker':
      return capacity.removeWorker(operation.worker, at);
    case 'applyNodes':
      return capacity.applyNodes(operation.nodes, at);
    case 'reportNodes':
      return capacity.reportNodes([operation], at);
    case 'applyLimits':
      return capacity.applyLimits(operation.limits, testLeases, at);
  }
}

export interface Performance<Of = Operation> {
  readonly operation: Of;
  readonly at: Date;
  readonly cast: Cast;
}

async function performOnGrant(
  capacity: Capacity,
  { operation, at, cast }: Performance<Extract<Operation, Pick>>,
): Promise<unknown> {
  const grant = cast.grants.at(-1 - (operation.back % Math.max(1, cast.grants.length)));
  if (grant === undefined) return 'nothing was granted yet';
  const ref = { reservation: grant.reservation, generation: grant.generation - (operation.old ? 1 : 0) };
  switch (operation.op) {
    case 'activate':
      return capacity.activate(ref, operation.nonce, at);
    case 'commit': {
      const { ticket, worker } = grant;
      const attempt = operation.attempt ?? ticket.attempt;
      return capacity.commit({ ...ref, job: ticket.job, attempt, worker, result: { of: ticket.job } }, at);
    }
    case 'release':
      return capacity.release(ref, at);
    case 'requeue':
      return capacity.requeue(ref, operation.reason, operation.delayMs, at);
    case 'quarantine':
      return capacity.quarantine(ref, operation.reason, at);
    case 'confirmGone':
      return capacity.confirmGone(ref.reservation, { barred: operation.barred }, at);
    case 'free':
      return capacity.free(ref.reservation, at);
    case 'delivered':
      return capacity.delivered([ref]);
  }
}

function ticketFrom({ job, run, attempt }: Asking): Ticket {
  return { job: `job${job}`, runId: `run${run}`, attempt };
}

function requestFrom(operation: Extract<Operation, { op: 'request' }>, cast: Cast): CapacityRequest {
  const identity = cast.identities[operation.job];
  if (identity === undefined) throw new Error('every job has an identity');
  return {
    ...identity,
    ticket: ticketFrom(operation),
    contractVersion: operation.version,
    inputDigest: operation.digest,
    artifact: artifactOf(operation.job),
    queueMs: operation.queueMs,
  };
}

/** Half of the jobs are of an artifact. */
function artifactOf(job: number): ArtifactRef | null {
  return job % 2 === 0 ? { id: `artifact${job}`, version: '1' } : null;
}

function consumptionFrom({ job, by, expected }: Extract<Operation, { op: 'consume' }>): Consumption {
  const asked = artifactOf(job);
  const artifact = {
    same: asked,
    'other digest': asked,
    'other artifact': { id: 'other', version: '1' },
    'other version': { id: asked?.id ?? 'other', version: '2' },
    'no artifact': null,
  }[expected];
  return { job: `job${job}`, by, artifact, inputDigest: expected === 'other digest' ? 'other' : 'd' };
}

const identity: fc.Arbitrary<Identity> = fc.record({
  class: fc.constantFrom<JobClass>('interactive', 'background'),
  kind: mostly('page_screenshot', 'agent_run'),
  workspace: fc.constantFrom('a', 'a', 'b'),
  user: fc.constantFrom('x', 'y', 'z'),
});

export const identities: fc.Arbitrary<Identity[]> = fc.array(identity, { minLength: jobs, maxLength: jobs });

/** Mostly `usual`, now and then one of the others. */
function mostly<T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const pick = { back: fc.nat({ max: 7 }), old: mostly(false, true) };
const asking = { job: fc.nat({ max: jobs - 1 }), run: mostly(0, 1, 2), attempt: mostly(1, 2, 3) };
const limit = fc.constantFrom(0, 1, 2, 2, 3, 3, 4);

const limits: fc.Arbitrary<Limits> = fc.record({
  running: fc.integer({ min: 1, max: 4 }),
  runningPerWorker: limit,
  runningPerUser: limit,
  runningPerWorkspace: limit,
  runningAgents: limit,
  waiting: fc.integer({ min: 2, max: 24 }),
  waitingPerWorkspace: fc.integer({ min: 2, max: 16 }),
  waitingPerUser: fc.integer({ min: 2, max: 12 }),
});

const nodes: fc.Arbitrary<NodeEntry[]> = fc.uniqueArray(
  fc.record({
    node: fc.constantFrom('n1', 'n2', 'n3'),
    maxSessions: fc.nat({ max: 4 }),
    enabled: mostly(true, false),
    zone: fc.constantFrom(null, 'east', 'west'),
    sessionLimitMs: fc.constant(sessionLimitMs),
    hash: mostly('h', 'g'),
  }),
  { selector: (entry) => entry.node, minLength: 1, maxLength: 3 },
);

const registration: fc.Arbitrary<WorkerRegistration> = fc.record({
  worker: fc.constantFrom(...workers),
  slots: fc.integer({ min: 1, max: 4 }),
  build: fc.constant('b'),
  contractVersions: fc.constantFrom<readonly number[]>([1], [1, 2]),
  zone: fc.constantFrom(null, 'east', 'west'),
  nodeHashes: fc.record({ n1: mostly('h', 'g'), n2: mostly('h', 'g'), n3: mostly('h', 'g') }),
});

function operation<Op extends Operation['op']>(
  weight: number,
  op: Op,
  fields: Readonly<Record<Exclude<keyof Extract<Operation, { op: Op }>, 'op'>, fc.Arbitrary<unknown>>>,
): fc.WeightedArbitrary<Operation> {
  return { weight, arbitrary: fc.record({ op: fc.constant(op), ...fields }) as unknown as fc.Arbitrary<Operation> };
}

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  operation(14, 'request', {
    ...asking,
    digest: fc.oneof({ weight: 30, arbitrary: fc.constant('d') }, { weight: 1, arbitrary: fc.constant('other') }),
    queueMs: mostly(30_000, 3_000),
    version: mostly(1, 2),
  }),
  operation(3, 'withdraw', { ...asking, keepGrant: fc.boolean() }),
  operation(6, 'activate', { ...pick, nonce: mostly('nonce', 'another') }),
  operation(2, 'commit', { ...pick, attempt: mostly<number | null>(null, 9) }),
  operation(4, 'consume', {
    // Of those that are granted first, so that some have a result.
    job: fc.nat({ max: 7 }),
    by: mostly('one', 'another'),
    expected: mostly<Expected>('same', 'other digest', 'other artifact', 'other version', 'no artifact'),
  }),
  operation(6, 'renew', { worker: fc.constantFrom(...workers) }),
  operation(16, 'release', pick),
  operation(4, 'requeue', {
    ...pick,
    reason: fc.constantFrom('refused', 'worker_missing', 'stale'),
    delayMs: fc.constantFrom(0, 500, 2_000),
  }),
  operation(3, 'quarantine', { ...pick, reason: fc.constantFrom('worker_lost', 'close_unconfirmed') }),
  operation(4, 'confirmGone', { ...pick, barred: fc.boolean() }),
  operation(2, 'free', pick),
  operation(5, 'sweep', {}),
  operation(2, 'delivered', pick),
  operation(1, 'pause', { paused: mostly(false, true) }),
  operation(2, 'registerWorker', { registration }),
  operation(1, 'drainWorker', { worker: fc.constantFrom(...workers) }),
  operation(1, 'removeWorker', { worker: fc.constantFrom(...workers) }),
  operation(1, 'applyNodes', { nodes }),
  operation(2, 'reportNodes', { node: fc.constantFrom('n1', 'n2'), health: mostly('healthy', 'suspect', 'down') }),
  operation(1, 'applyLimits', { limits }),
);

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.constantFrom(0, 0, 0, 1, 10, 300, 700, 700, 2_001, 4_000),
  operation: anyOperation,
  twice: mostly(false, true),
});

/** A fleet first, so that most steps find something to grant. */
export const story: fc.Arbitrary<Step[]> = fc
  .tuple(limits, nodes, registration, registration, fc.array(step, { minLength: 20, maxLength: 60 }))
  .map(([first, entries, one, two, steps]) => [
    opening({ op: 'applyLimits', limits: first }),
    opening({ op: 'applyNodes', nodes: entries }),
    opening({ op: 'registerWorker', registration: one }),
    opening({ op: 'registerWorker', registration: two }),
    ...Array.from({ length: crowd }, (_, job) =>
      opening({ op: 'request', job, run: 0, attempt: 1, digest: 'd', queueMs: 30_000, version: 1 }),
    ),
    ...steps,
  ]);

function opening(first: Operation): Step {
  return { afterMs: 0, operation: first, twice: false };
}
