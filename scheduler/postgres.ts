import type pg from 'pg';
import type { Capacity } from './capacity.js';
import type { RetentionStore } from './retention.js';
import { createCaller } from './operations/call.js';
import { fleetOperations } from './operations/fleet.js';
import { reservationOperations } from './operations/reservations.js';
import { retentionOperations } from './operations/retention.js';
import { ticketOperations } from './operations/tickets.js';
import { views } from './operations/views.js';

/**
 * The capacity core in Postgres: one call of one SQL function per operation, each a transaction of its own. Whatever
 * fails in between has changed nothing, and may be repeated.
 */
export function createCapacity(pool: pg.Pool): Capacity {
  const caller = createCaller(pool);
  return {
    ...ticketOperations(caller),
    ...reservationOperations(caller),
    ...fleetOperations(caller),
    ...views(caller),
  };
}

/** What is kept and for how long, in the same database. */
export function createRetention(pool: pg.Pool): RetentionStore {
  return retentionOperations(createCaller(pool));
}
