-- Puts the ticket of its latest grant back in line, at its place by submit time.
create or replace function darkroom.requeue(
  _reservation text, _generation int, _reason text, _delay_ms int, _at timestamptz default null,
  out requeued boolean, out answer json, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
  granted text[] := '{}';
begin
  select * into r from darkroom.reservation where reservation = _reservation and generation = _generation;
  requeued := darkroom.may_return(r);
  if requeued then
    perform darkroom.give_up(r, _reason, now);
    perform darkroom.put_back(r, _reason, now + darkroom.span(_delay_ms), now);
    granted := darkroom.run_pass(now);
  end if;
  answer := coalesce(
    (select darkroom.done_answer(d, now) from darkroom.result d where d.job = r.job),
    darkroom.ticket_answer(r.job, r.run_id, r.attempt, now));
  grants := darkroom.grant_views(array_remove(granted, answer -> 'grant' ->> 'reservation'));
end $$;

-- Only the latest grant of a ticket that is neither withdrawn, superseded, waiting again nor done may return it.
create or replace function darkroom.may_return(_r darkroom.reservation) returns boolean language plpgsql stable as $$
begin
  return (
    select exists (
      select from darkroom.request q
      where q.job = _r.job and q.reservation = _r.reservation and q.state in ('held', 'ended')
        and not exists (
          select from darkroom.tombstone t
          where t.job = q.job and t.run_id = q.run_id and t.attempt = q.attempt)
        and not exists (select from darkroom.result d where d.job = q.job)));
end $$;

-- Freed where no session can be: it was never activated, or its node refused it. Any other active reservation may have a
-- session that lives on, so it is quarantined.
create or replace function darkroom.give_up(_r darkroom.reservation, _reason text, _at timestamptz)
returns void language plpgsql as $$
begin
  if _r.state = 'granted' or (_r.state = 'active' and _reason = 'refused') then
    perform darkroom.end_reservation(_r, 'freed', _reason, _at);
  elsif _r.state = 'active' then
    perform darkroom.quarantine_reservation(
      _r, case _reason when 'worker_missing' then 'worker_lost' else 'superseded' end, _at);
  end if;
end $$;

-- A node that refused for capacity cools down as long as the request stays away. A missing worker needs no mark: it is
-- passed over exactly while its heartbeat is old.
create or replace function darkroom.put_back(
  _r darkroom.reservation, _reason text, _due timestamptz, _at timestamptz
) returns void language plpgsql as $$
declare
  q darkroom.request;
begin
  update darkroom.request set refusals = refusals + case when _reason = 'refused' then 1 else 0 end
  where job = _r.job returning * into q;
  if _reason = 'refused' then
    update darkroom.node set cooling_until = greatest(cooling_until, _due) where node = _r.node;
  end if;
  perform darkroom.suspend_deadline(_r.job);
  perform darkroom.record_ticket('requeued', q, _reason, _at);
  perform darkroom.enqueue(_r.job, _due, _at);
end $$;
