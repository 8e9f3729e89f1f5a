-- Removes what nobody needs any more, the oldest first, at most `_most` rows of each kind: jobs with their summary, whose
-- keys then start anew; ended reservations when their objects' time is over; tombstones; lines of the ledger.
create or replace function darkroom.forget(_most int, _at timestamptz default null, out forgotten json)
language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  s darkroom.settings;
  jobs text[];
  reservations bigint;
  tombstones bigint;
  lines bigint;
begin
  select * into s from darkroom.settings;
  select coalesce(array_agg(job), '{}') into jobs from (
    select j.job from darkroom.job j
    where j.submitted_at <= now - darkroom.span(s.summary_ms) and not darkroom.is_in_use(j, s, now)
    order by j.submitted_at limit _most
  ) old;
  delete from darkroom.result where job = any (jobs);
  delete from darkroom.tombstone where job = any (jobs);
  delete from darkroom.reservation where job = any (jobs) and state = 'ended';
  delete from darkroom.job where job = any (jobs);
  delete from darkroom.reservation where reservation in (
    select reservation from darkroom.reservation
    where state = 'ended' and ended_at <= now - darkroom.span(s.result_ms) * 2
    order by ended_at limit _most);
  get diagnostics reservations = row_count;
  -- Of a ticket that never came; those of a job went with it.
  delete from darkroom.tombstone where (job, run_id, attempt) in (
    select job, run_id, attempt from darkroom.tombstone
    where buried_at <= now - darkroom.span(s.summary_ms) order by buried_at limit _most);
  get diagnostics tombstones = row_count;
  delete from darkroom.ledger where seq in (
    select seq from darkroom.ledger order by seq limit _most) and at < now - darkroom.span(s.ledger_ms);
  get diagnostics lines = row_count;
  forgotten := json_build_object(
    'jobs', cardinality(jobs), 'reservations', reservations, 'tombstones', tombstones, 'ledger', lines);
end $$;

-- It waits, holds capacity, or has a result that is not cleared yet or was made only lately.
create or replace function darkroom.is_in_use(_j darkroom.job, _s darkroom.settings, _at timestamptz)
returns boolean language sql stable as $$
  select exists (select from darkroom.request q where q.job = _j.job and q.state <> 'ended')
    or exists (select from darkroom.reservation r where r.job = _j.job and r.state <> 'ended')
    or exists (
      select from darkroom.result d where d.job = _j.job
        and (d.cleared_at is null or d.committed_at > _at - darkroom.span(_s.summary_ms)))
$$;
