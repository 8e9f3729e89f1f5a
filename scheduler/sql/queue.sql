-- Ways into and out of the queue.

-- A request joins, or comes back; before `_not_before` it is skipped without blocking anyone.
create or replace function darkroom.enqueue(_job text, _not_before timestamptz, _at timestamptz)
returns void language plpgsql as $$
declare
  q darkroom.request;
begin
  update darkroom.request
  set state = case when _not_before > _at then 'deferred' else 'ready' end,
      not_before = case when _not_before > _at then _not_before end
  where job = _job returning * into q;
  perform darkroom.count_waiting(q.workspace, q.user_id, q.class, 1);
  perform darkroom.refresh_line(q.workspace, q.user_id, q.class);
end $$;

-- The ticket waits no more, now or whenever it may arrive.
create or replace function darkroom.bury(_job text, _run_id text, _attempt int, _at timestamptz)
returns void language plpgsql as $$
begin
  insert into darkroom.tombstone (job, run_id, attempt, buried_at) values (_job, _run_id, _attempt, _at)
  on conflict do nothing;
end $$;

-- Closes a request for good: whatever waits leaves the queue. What it holds must have been dealt with before.
create or replace function darkroom.close_request(_q darkroom.request, _event text, _reason text, _at timestamptz)
returns void language plpgsql as $$
begin
  delete from darkroom.request where job = _q.job;
  perform darkroom.bury(_q.job, _q.run_id, _q.attempt, _at);
  if _q.state in ('deferred', 'ready') then
    perform darkroom.count_waiting(_q.workspace, _q.user_id, _q.class, -1);
    perform darkroom.refresh_line(_q.workspace, _q.user_id, _q.class);
  end if;
  if _event is not null then
    perform darkroom.record_ticket(_event, _q, _reason, _at);
  end if;
end $$;

-- Another ticket speaks for the job now: the older one waits no more, its grant is freed, and its active session is
-- quarantined, since it may still be alive.
create or replace function darkroom.supersede(_q darkroom.request, _at timestamptz)
returns void language plpgsql as $$
declare
  r darkroom.reservation;
  waited boolean := _q.state in ('deferred', 'ready');
begin
  if _q.state = 'held' then
    select * into r from darkroom.reservation where reservation = _q.reservation;
    perform darkroom.end_lease(r, 'superseded', _at);
  end if;
  perform darkroom.close_request(_q, case when waited then 'withdrawn' end, 'superseded', _at);
end $$;
