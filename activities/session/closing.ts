import type { Logger } from 'pino';
import type { Capacity } from '../../scheduler/index.js';
import type { CloseSessionAnswer, Grant, ReservationRef } from '../../workflows/contract/index.js';
import type { Delivery } from '../capacity/index.js';
import { Deadline } from '../deadline.js';
import { messageOf } from '../failure.js';
import type { SessionHost } from './host.js';
import type { Nodes } from './nodes.js';

export interface ClosingPorts {
  readonly host: SessionHost;
  readonly nodes: Nodes;
  readonly capacity: Pick<Capacity, 'release' | 'quarantine'>;
  readonly delivery: Delivery;
  readonly log: Logger;
}

export type Ending = ReservationRef & Pick<Grant, 'node'>;

/**
 * Closes a session on both sides and gives its capacity back; quarantines it when the node does not confirm. Asked again
 * while it is at it, it gives the same answer.
 */
export type CloseSession = (session: Ending) => Promise<CloseSessionAnswer>;

/** On a node with one process a session the kill is quick; a Browserless node may take its time to close pages. */
const CONFIRM_MS = 10_000;

export function createCloseSession(ports: ClosingPorts): CloseSession {
  const closing = new Map<string, Promise<CloseSessionAnswer>>();
  return async (session) => {
    const known = closing.get(session.reservation);
    if (known !== undefined) return await known;
    const work = closeAndRelease(ports, session).finally(() => closing.delete(session.reservation));
    closing.set(session.reservation, work);
    return await work;
  };
}

async function closeAndRelease(ports: ClosingPorts, session: Ending): Promise<CloseSessionAnswer> {
  const { host, nodes, capacity, delivery, log } = ports;
  if (!(await isGone(host, nodes, session, log))) {
    const { quarantined, grants } = await capacity.quarantine(session, 'close_unconfirmed');
    await delivery.grants(grants);
    return { state: quarantined ? 'quarantined' : 'already' };
  }
  const { released, grants } = await capacity.release(session);
  await delivery.grants(grants);
  return { state: released ? 'released' : 'already' };
}

async function isGone(host: SessionHost, nodes: Nodes, session: Ending, log: Logger): Promise<boolean> {
  const deadline = Deadline.after(CONFIRM_MS, 'connect_timeout');
  try {
    const node = nodes.get(session.node);
    const { api } = node;
    const { barsKilledIds } = await node.version(deadline);
    if (barsKilledIds) {
      // One process a session: the confirmed kill is the close, and this side only lets go of its socket.
      await Promise.all([api.kill(deadline, session.reservation), host.close(deadline, session, 'drop')]);
      return true;
    }
    // Half of the time at most, so that the kill is asked for also when pages hang.
    const closed = await deadline.attempt(CONFIRM_MS / 2, async (bound) => {
      await host.close(bound, session, 'orderly');
      return true;
    });
    if (closed === undefined)
      log.warn({ reservation: session.reservation, node: session.node }, 'close was not orderly');
    const killed = await api.kill(deadline, session.reservation);
    return killed === 'gone' || !(await api.sessions(deadline)).includes(session.reservation);
  } catch (error) {
    log.warn({ reservation: session.reservation, node: session.node, error: messageOf(error) }, 'close not confirmed');
    await host.close(deadline, session, 'drop');
    return false;
  } finally {
    deadline.stop();
  }
}
