import type { FaultName } from './faults.js';

export type Guard = 'fence' | 'quarantine' | 'sweep';

interface Sabotage {
  readonly sql: string;
  readonly faults: readonly FaultName[];
}

/**
 * What takes a guard away, in the database of the run alone, and the faults that it guards against. Each function is
 * replaced under its own signature, and does what a simpler design would do.
 */
export const SABOTAGE: Readonly<Record<Guard, Sabotage>> = {
  fence: {
    faults: ['stop render worker'],
    sql: `create or replace function darkroom.commit(
      _job text, _attempt int, _reservation text, _generation int, _worker text, _result json,
      _at timestamptz default null, out state text, out result json
    ) language plpgsql as $$
    declare
      now timestamptz := darkroom.enter(_at);
      done darkroom.result;
      r darkroom.reservation;
    begin
      delete from darkroom.result d where d.job = _job;
      select * into r from darkroom.reservation held where held.reservation = _reservation;
      insert into darkroom.result (job, attempt, kind, reservation, generation, worker, result, committed_at, expires_at)
      values (r.job, r.attempt, r.kind, r.reservation, r.generation, r.worker, _result, now, now + interval '1 day')
      returning * into done;
      perform darkroom.record_reservation('committed', r, null, now);
      state := 'committed';
      result := darkroom.result_view(done);
    end $$`,
  },
  quarantine: {
    faults: ['black hole', 'stop render worker', 'kill render worker'],
    sql: `create or replace function darkroom.quarantine_reservation(
      _r darkroom.reservation, _reason text, _at timestamptz
    ) returns void language plpgsql as $$
    begin
      perform darkroom.end_reservation(_r, 'freed', _reason, _at);
    end $$`,
  },
  // With the probe's half of it: alone, each of them gives back what the other would have.
  sweep: {
    faults: ['kill render worker'],
    sql: `create or replace function darkroom.sweep(
      _at timestamptz default null, out freed json, out lost json, out expired_requests json, out grants json,
      out undelivered json, out quarantined json
    ) language plpgsql as $$
    begin
      freed := '[]'; lost := '[]'; expired_requests := '[]'; grants := '[]'; undelivered := '[]'; quarantined := '[]';
    end $$;
    create or replace function darkroom.confirm_gone(
      _reservation text, _barred boolean, _at timestamptz default null, out freed boolean, out lost json, out grants json
    ) language plpgsql as $$
    begin
      freed := false; lost := '[]'; grants := '[]';
    end $$`,
  },
};
