import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  type Capacity,
  type CapacityRequest,
  createCapacity,
  createRetention,
  defaultLeases,
  defaultRetention,
  type Grant,
  type Granted,
  type Limits,
  type NodeEntry,
  normalLimits,
  type RequestAnswer,
  type WorkerRegistration,
} from '../../scheduler/index.js';
import type { TestDatabase } from '../support/postgres.js';
import { openDatabase } from '../support/postgres.js';
import type pg from 'pg';
import { ModelCapacity } from './model.js';

/** A job as a test tells of it; what it leaves out does not matter there. */
export type Asked = Partial<Omit<CapacityRequest, 'ticket'>> & { readonly runId?: string; readonly attempt?: number };

/** Limits so wide that only those which a test narrows can be felt. */
export const wideLimits: Limits = {
  running: 1_000,
  runningPerWorker: 1_000,
  runningPerUser: 1_000,
  runningPerWorkspace: 1_000,
  runningAgents: 1_000,
  waiting: 1_000,
  waitingPerWorkspace: 1_000,
  waitingPerUser: 1_000,
};

export function node(name: string, entry: Partial<NodeEntry> = {}): NodeEntry {
  return { node: name, maxSessions: 100, enabled: true, zone: null, sessionLimitMs: 930_000, hash: 'h', ...entry };
}

export function worker(name: string, registration: Partial<WorkerRegistration> = {}): WorkerRegistration {
  return {
    worker: name,
    slots: 100,
    build: 'b',
    contractVersions: [1],
    zone: null,
    nodeHashes: { n1: 'h', n2: 'h', n3: 'h' },
    ...registration,
  };
}

export function requestOf(job: string, asked: Asked = {}): CapacityRequest {
  const { runId = 'run', attempt = 1, ...rest } = asked;
  return {
    ticket: { job, runId, attempt },
    kind: 'page_screenshot',
    class: 'interactive',
    workspace: 'workspace',
    user: 'user',
    contractVersion: 1,
    inputDigest: 'digest',
    artifact: null,
    queueMs: 60_000,
    ...rest,
  };
}

/** One capacity core with a clock that only the test moves. */
export class Scene {
  readonly capacity: Capacity;
  private now = Date.UTC(2026, 10, 30);

  constructor(capacity: Capacity) {
    this.capacity = capacity;
  }

  get at(): Date {
    return new Date(this.now);
  }

  /** Lets time pass; the workers that are named stay alive meanwhile. */
  async pass(ms: number, ...alive: readonly string[]): Promise<void> {
    this.now += ms;
    for (const name of alive) await this.capacity.renew(name, [], this.at);
  }

  /** One node, one worker, and limits that only `limits` narrows. */
  async fleet(limits: Partial<Limits> = {}, slots = 100): Promise<void> {
    await this.limits(limits);
    await this.capacity.applyNodes([node('n1')], this.at);
    await this.capacity.registerWorker(worker('w1', { slots }), this.at);
  }

  limits(limits: Partial<Limits>): Promise<Granted> {
    return this.capacity.applyLimits({ ...wideLimits, ...limits }, defaultLeases, this.at);
  }

  ask(job: string, asked: Asked = {}): Promise<RequestAnswer & Granted> {
    return this.capacity.request(requestOf(job, asked), this.at);
  }

  /** Asks, and expects to be granted at once. */
  async take(job: string, asked: Asked = {}): Promise<Grant> {
    const answer = await this.ask(job, asked);
    if (answer.state !== 'granted') throw new Error(`${job} is ${answer.state}, not granted`);
    return answer.grant;
  }

  async takeActive(job: string, asked: Asked = {}): Promise<Grant> {
    const grant = await this.take(job, asked);
    await this.capacity.activate(grant, 'nonce', this.at);
    return grant;
  }

  /** Releases, and tells the jobs that got the room. */
  async release(grant: Grant): Promise<string[]> {
    return jobsOf(await this.capacity.release(grant, this.at));
  }

  async running(): Promise<number> {
    return (await this.capacity.snapshot(this.at)).running;
  }

  /** Frees one slot after the other and tells in which order the jobs that wait get it. */
  async drainQueue(first: Grant, count: number): Promise<string[]> {
    const order: string[] = [];
    let holder = first;
    while (order.length < count) {
      const { grants } = await this.capacity.release(holder, this.at);
      const [next] = grants;
      if (next === undefined) break;
      order.push(next.ticket.job);
      holder = next;
    }
    return order;
  }
}

export function jobsOf({ grants }: Granted): string[] {
  return grants.map((grant) => grant.ticket.job);
}

/** A database for the file's tests, emptied before each. */
export function useDatabase(connections = 4): { readonly pool: pg.Pool; readonly database: TestDatabase } {
  let opened: { pool: pg.Pool; database: TestDatabase } | undefined;
  const current = () => {
    if (opened === undefined) throw new Error('the database is open during tests only');
    return opened;
  };
  beforeAll(async () => {
    const database = await openDatabase();
    opened = { database, pool: database.connect(connections) };
  }, 60_000);
  beforeEach(() => emptyDatabase(current().pool));
  afterAll(() => opened?.database.close());
  return {
    get pool() {
      return current().pool;
    },
    get database() {
      return current().database;
    },
  };
}

/** As it was after the migrations. Rows are deleted, since a truncate would make every function plan anew. */
export async function emptyDatabase(pool: pg.Pool): Promise<void> {
  await pool.query(`
    begin;
    select from darkroom.control for update; -- a call of the test before may still be running
    set local session_replication_role = replica; -- the ledger refuses deletes
    delete from darkroom.ledger;
    delete from darkroom.result;
    delete from darkroom.reservation;
    delete from darkroom.tombstone;
    delete from darkroom.request;
    delete from darkroom.job;
    delete from darkroom.member;
    delete from darkroom.account;
    delete from darkroom.workspace;
    delete from darkroom.placement;
    delete from darkroom.node;
    delete from darkroom.worker;
    update darkroom.control set cycle = 0, turn = 0, running = 0, running_agents = 0,
      waiting_interactive = 0, waiting_background = 0;
    update darkroom.settings set paused = false;
    select setval(pg_get_serial_sequence('darkroom.ledger', 'seq'), 1, false);
    commit`);
  await createCapacity(pool).applyLimits(normalLimits, defaultLeases);
  await createRetention(pool).apply(defaultRetention);
}

/** Both implementations of the interface, for facts that hold in each. */
export const implementations: readonly { readonly name: string; readonly create: (pool: pg.Pool) => Capacity }[] = [
  { name: 'Postgres', create: createCapacity },
  { name: 'the model', create: () => new ModelCapacity() },
];
