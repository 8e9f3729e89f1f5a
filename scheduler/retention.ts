import type { ReservationRef, StoredResult, Ticket } from './capacity.js';

/** How long things are kept, in milliseconds. */
export interface Retention {
  /** A result that nobody consumed, and the evidence of a failed job. */
  readonly resultMs: number;
  /** A result after it was consumed: whoever has it may still have to fetch its objects. */
  readonly consumedMs: number;
  /** A job's key and its summary. Afterwards the same key starts a new job. */
  readonly summaryMs: number;
  readonly ledgerMs: number;
}

/** A result with the folder of its job's objects in the bucket. */
export interface KeptResult extends Pick<StoredResult, 'job' | 'result'>, Pick<ReservationRef, 'reservation'> {
  readonly folder: string;
}

/** What is left of a result: what it was, without being it. */
export interface ResultSummary {
  readonly objects: readonly { readonly sha256: string; readonly bytes: number; readonly contentType: string }[];
}

export type ClearReason = 'expired' | 'objects_missing';

export interface Forgotten {
  readonly jobs: number;
  readonly reservations: number;
  readonly tombstones: number;
  readonly ledger: number;
}

/**
 * What is kept and for how long, beside the `Capacity` that decides who runs. As there, each operation is one call, may be
 * repeated, and takes its time from the database clock unless `at` is given. All are bounded by `most`.
 */
export interface RetentionStore {
  apply(retention: Retention): Promise<void>;
  /** Results whose time is over: delete their objects, then `clear` them. */
  expired(most: number, at?: Date): Promise<readonly KeptResult[]>;
  /** Replaces results by summaries; gives how many. */
  clear(
    results: readonly { readonly job: string; readonly summary: ResultSummary }[],
    reason: ClearReason,
    at?: Date,
  ): Promise<number>;
  /**
   * Results in the folders after `after` up to `until` (null: to the last) that were there before `before` and are not over
   * yet: a listing of the bucket made in between has all their objects.
   */
  kept(after: string, until: string | null, before: Date, at?: Date): Promise<readonly KeptResult[]>;
  /** What becomes of the objects that these reservations uploaded; a reservation that is not known is left out. */
  uploads(reservations: readonly string[], at?: Date): Promise<Readonly<Record<string, 'kept' | 'orphan'>>>;
  /** Tickets that wait or hold capacity for longer than `olderMs`, the oldest first. */
  openTickets(olderMs: number, most: number, at?: Date): Promise<readonly Ticket[]>;
  /** Removes rows that nobody needs any more, of each kind at most `most`. */
  forget(most: number, at?: Date): Promise<Forgotten>;
  /** The database's clock. */
  now(): Promise<Date>;
}
