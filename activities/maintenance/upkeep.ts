import type { Logger } from 'pino';
import type { Capacity, CapacitySnapshot, NodeReport, QuarantinedReservation } from '../../scheduler/index.js';
import type { Delivery } from '../capacity/index.js';
import { Deadline } from '../deadline.js';
import { messageOf } from '../failure.js';
import type { KnownNode, Nodes } from '../session/index.js';

export interface UpkeepPorts {
  readonly capacity: Capacity;
  readonly delivery: Delivery;
  readonly nodes: Nodes;
  readonly log: Logger;
}

/** What the capacity worker does besides answering. Each step may run in several processes at once, and may fail: the next one makes up for it. */
export interface Upkeep {
  /** Applies all rules about time, tells the workflows, and kills what is quarantined. */
  sweep(): Promise<void>;
  /** Asks every node whether it is well and which sessions it has. */
  probe(): Promise<void>;
}

/** A node that does not answer within this time has missed a probe. */
const PROBE_MS = 2_000;
/** One lost answer says nothing; a busy node is not condemned. */
const SUSPECT_AFTER = 2;
const DOWN_AFTER = 3;

export function createUpkeep(ports: UpkeepPorts): Upkeep {
  const reaping = new Set<string>();
  const misses = new Map<string, number>();
  return {
    async sweep() {
      const swept = await ports.capacity.sweep();
      await ports.delivery.lost(swept.lost, 'lease_expired');
      await ports.delivery.grants([...swept.grants, ...swept.undelivered]);
      const due = swept.quarantined.filter(({ reservation }) => !reaping.has(reservation));
      // Not awaited: a node that does not answer must not keep the next sweep from its time.
      for (const quarantined of due) void reap(ports, reaping, quarantined);
    },
    async probe() {
      // The reservations first: one that is made after the node told its sessions must not look as if it were gone.
      const { reservations } = await ports.capacity.snapshot();
      const reports = await Promise.all(ports.nodes.all.map((node) => probeNode(ports, misses, node, reservations)));
      const { grants } = await ports.capacity.reportNodes(reports);
      await ports.delivery.grants(grants);
    },
  };
}

/** Kills the session over a connection of its own; where the node bars killed ids, the kill is also the proof. */
async function reap(ports: UpkeepPorts, reaping: Set<string>, quarantined: QuarantinedReservation): Promise<void> {
  const { reservation, node } = quarantined;
  const deadline = Deadline.after(PROBE_MS, 'connect_timeout');
  reaping.add(reservation);
  try {
    const known = ports.nodes.get(node);
    const { api } = known;
    const { barsKilledIds } = await known.version(deadline);
    await api.kill(deadline, reservation);
    const gone = barsKilledIds || !(await api.sessions(deadline)).includes(reservation);
    if (gone) await confirmGone(ports, reservation, barsKilledIds);
  } catch (error) {
    ports.log.warn({ reservation, node, error: messageOf(error) }, 'quarantined session not confirmed gone');
  } finally {
    deadline.stop();
    reaping.delete(reservation);
  }
}

async function probeNode(
  ports: UpkeepPorts,
  misses: Map<string, number>,
  known: KnownNode,
  reservations: CapacitySnapshot['reservations'],
): Promise<NodeReport> {
  const { node } = known.connection;
  const deadline = Deadline.after(PROBE_MS, 'connect_timeout');
  try {
    const sessions = await known.api.sessions(deadline);
    misses.delete(node);
    const missing = reservations.filter(
      (reservation) =>
        reservation.node === node && reservation.state !== 'granted' && !sessions.includes(reservation.reservation),
    );
    for (const { reservation } of missing) void endMissing(ports, reservation);
    return { node, health: 'healthy' };
  } catch (error) {
    const missed = (misses.get(node) ?? 0) + 1;
    misses.set(node, missed);
    ports.log.warn({ node, missed, error: messageOf(error) }, 'node missed a probe');
    return { node, health: missed >= DOWN_AFTER ? 'down' : missed >= SUSPECT_AFTER ? 'suspect' : 'healthy' };
  } finally {
    deadline.stop();
  }
}

async function endMissing(ports: UpkeepPorts, reservation: string): Promise<void> {
  try {
    await confirmGone(ports, reservation, false);
  } catch (error) {
    ports.log.warn({ reservation, error: messageOf(error) }, 'session that is gone is not ended yet');
  }
}

async function confirmGone({ capacity, delivery }: UpkeepPorts, reservation: string, barred: boolean): Promise<void> {
  const { lost, grants } = await capacity.confirmGone(reservation, { barred });
  await delivery.lost(lost, 'session_gone');
  await delivery.grants(grants);
}
