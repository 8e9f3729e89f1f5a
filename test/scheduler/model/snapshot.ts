import type { CapacitySnapshot } from '../../../scheduler/index.js';
import type { ModelState, Worker } from './state.js';

export function modelSnapshot(state: ModelState, now: number): CapacitySnapshot {
  const live = state.live();
  const waiting = state.waiting();
  const oldest = Math.min(...waiting.map((request) => request.requestedAt));
  return {
    limits: state.limits,
    running: live.length,
    waiting: {
      interactive: waiting.filter(({ job }) => job.class === 'interactive').length,
      background: waiting.filter(({ job }) => job.class === 'background').length,
    },
    oldestWaitMs: waiting.length === 0 ? null : now - oldest,
    paused: state.paused,
    nodes: sorted(state.nodes).map((node) => {
      const held = live.filter((reservation) => reservation.node === node.entry.node);
      const quarantined = held.filter((reservation) => reservation.state === 'quarantined').length;
      return { ...node.entry, health: node.health, used: held.length, quarantined, draining: node.draining };
    }),
    workers: sorted(state.workers).map((worker) => {
      const { worker: name, slots } = worker.registration;
      const status = workerState(state, worker, now);
      const held = live.filter(
        (other) => other.worker === name && (status !== 'dead' || other.state !== 'quarantined'),
      );
      return { worker: name, slots, used: held.length, state: status, heartbeatAgeMs: now - worker.heartbeatAt };
    }),
    reservations: live.map(({ reservation, generation, job, node, worker, grantedAt, reason, ...rest }) => {
      if (rest.state === 'ended') throw new Error('a live reservation has not ended');
      const ageMs = now - grantedAt;
      return { reservation, generation, job: job.job, state: rest.state, node, worker, ageMs, reason };
    }),
  };
}

function workerState(state: ModelState, worker: Worker, now: number): CapacitySnapshot['workers'][number]['state'] {
  const silentMs = now - worker.heartbeatAt;
  if (worker.removed || silentMs > state.leases.leaseMs) return 'dead';
  if (worker.draining) return 'draining';
  return silentMs > state.leases.workerSuspectMs ? 'suspect' : 'live';
}

function sorted<T>(byName: ReadonlyMap<string, T>): T[] {
  return [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
