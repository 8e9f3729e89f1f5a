import type { Grant, ReservationRef, SessionLost, Ticket } from './contract/index.js';

/** What signals have told this run. A message that is not for it, or comes late or again, changes nothing. */
export class Inbox {
  readonly #lost = new Set<string>();
  #newest: Grant | undefined;
  #taken = 0;

  /**
   * Signals are sent to one run, so a grant here is this run's, or, after a reset, of the run whose history is replayed.
   * That one must be taken as it was then; `openSession` refuses it, and the run asks anew.
   */
  granted(grant: Grant): void {
    if (this.#newest === undefined || this.#newest.generation < grant.generation) this.#newest = grant;
  }

  lost(message: SessionLost): void {
    this.#lost.add(keyOf(message));
  }

  /** A grant to this ticket that was not taken before. Generations grow with every grant of a job. */
  grantFor(ticket: Ticket): Grant | undefined {
    const grant = this.#newest;
    return grant?.ticket.attempt === ticket.attempt && grant.generation > this.#taken ? grant : undefined;
  }

  /** From now on signals about this grant, and all before it, are old. */
  take(grant: Grant): Grant {
    this.#taken = Math.max(this.#taken, grant.generation);
    return grant;
  }

  isLost(ref: ReservationRef): boolean {
    return this.#lost.has(keyOf(ref));
  }
}

function keyOf(ref: ReservationRef): string {
  return `${ref.reservation}/${String(ref.generation)}`;
}
