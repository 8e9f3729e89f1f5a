-- The shapes in which operations answer; the keys are those of `capacity.ts`.
create or replace function darkroom.grant_view(_r darkroom.reservation) returns json language sql immutable as $$
  select json_build_object(
    'reservation', _r.reservation, 'generation', _r.generation,
    'ticket', json_build_object('job', _r.job, 'runId', _r.run_id, 'attempt', _r.attempt),
    'node', _r.node, 'worker', _r.worker, 'waitedMs', _r.waited_ms, 'refusals', _r.refusals)
$$;

-- In the order in which they were granted.
create or replace function darkroom.grant_views(_reservations text[]) returns json language plpgsql stable as $$
begin
  return (
    select coalesce(json_agg(darkroom.grant_view(r) order by r.turn), '[]')
    from darkroom.reservation r where r.reservation = any (_reservations));
end $$;

create or replace function darkroom.ref_view(_r darkroom.reservation) returns json language sql immutable as $$
  select json_build_object('reservation', _r.reservation, 'generation', _r.generation)
$$;

create or replace function darkroom.result_view(_s darkroom.result) returns json language sql immutable as $$
  select json_build_object(
    'job', _s.job, 'attempt', _s.attempt, 'kind', _s.kind, 'reservation', _s.reservation, 'result', _s.result)
$$;

-- Place in line by submit time within the class. An estimate: turns decide, and counting stops at 1,000, so that asking
-- costs the same in a long queue.
create or replace function darkroom.queue_position(_q darkroom.request) returns bigint language plpgsql stable as $$
begin
  return (
    select 1 + count(*) from (
      select from darkroom.request q
      where q.state in ('deferred', 'ready') and q.class = _q.class
        and (q.submitted_at, q.seq) < (_q.submitted_at, _q.seq)
      limit 999
    ) ahead);
end $$;

-- The ticket's present state. Whoever is told of a grant here has it delivered.
create or replace function darkroom.ticket_answer(_job text, _run_id text, _attempt int, _at timestamptz)
returns json language plpgsql as $$
declare
  q darkroom.request;
  r darkroom.reservation;
begin
  if exists (select from darkroom.tombstone where job = _job and run_id = _run_id and attempt = _attempt) then
    return json_build_object('state', 'withdrawn');
  end if;
  select * into q from darkroom.request where job = _job and run_id = _run_id and attempt = _attempt;
  if not found then
    return json_build_object('state', 'withdrawn');
  end if;
  if q.state in ('deferred', 'ready') then
    return json_build_object(
      'state', 'queued', 'position', darkroom.queue_position(q),
      'remainingMs', case when q.deadline is not null then greatest(0, darkroom.ms(q.deadline - _at)) end);
  end if;
  if q.state = 'held' then
    update darkroom.reservation set delivered_at = coalesce(delivered_at, _at)
    where reservation = q.reservation returning * into r;
    return json_build_object('state', 'granted', 'grant', darkroom.grant_view(r));
  end if;
  select * into r from darkroom.reservation where reservation = q.reservation;
  return json_build_object('state', 'ended', 'last', darkroom.ref_view(r));
end $$;
