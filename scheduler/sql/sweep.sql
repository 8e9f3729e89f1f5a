-- Everything that only time brings about. Each step is bounded, so that a backlog of expiries cannot hold the lock for
-- long: what is left over is the next sweep's.
create or replace function darkroom.sweep(
  _at timestamptz default null, out freed json, out lost json, out expired_requests json, out grants json,
  out undelivered json, out quarantined json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  ended json;
begin
  ended := darkroom.sweep_reservations(now);
  freed := ended -> 'freed';
  lost := ended -> 'lost';
  expired_requests := darkroom.sweep_requests(now);
  perform darkroom.sweep_fleet(now);
  grants := darkroom.grant_waiting(now);
  -- A second after the grant whoever ran the pass has had its time to deliver.
  select coalesce(json_agg(darkroom.grant_view(r) order by r.turn), '[]') into undelivered from (
    select * from darkroom.reservation
    where state = 'granted' and delivered_at is null and granted_at <= now - interval '1 second'
    order by granted_at, turn limit 1000
  ) r;
  select coalesce(json_agg(darkroom.quarantined_view(r, now) order by r.turn), '[]') into quarantined from (
    select * from darkroom.reservation where state = 'quarantined' order by hard_expires limit 1000
  ) r;
end $$;

create or replace function darkroom.quarantined_view(_r darkroom.reservation, _at timestamptz)
returns json language sql immutable as $$
  select json_build_object(
    'reservation', _r.reservation, 'generation', _r.generation, 'job', _r.job, 'node', _r.node, 'worker', _r.worker,
    'reason', _r.reason, 'ageMs', darkroom.ms(_at - _r.quarantined_at),
    'hardExpiryInMs', darkroom.ms(_r.hard_expires - _at))
$$;

-- Past the hard expiry the node itself has ended the session: freed, whatever the state. A granted lease that ran out
-- had no session: freed. An active one may have: quarantined.
create or replace function darkroom.sweep_reservations(_at timestamptz) returns json language plpgsql as $$
declare
  r darkroom.reservation;
  freed darkroom.reservation[] := '{}';
  lost darkroom.reservation[] := '{}';
begin
  for r in
    select * from darkroom.reservation where state <> 'ended' and hard_expires <= _at
    order by hard_expires, turn limit 1000
  loop
    perform darkroom.end_reservation(r, 'freed', 'hard_expiry', _at);
    freed := freed || r;
    if darkroom.is_lost(r) then
      lost := lost || r;
    end if;
  end loop;
  for r in
    select * from darkroom.reservation
    where state in ('granted', 'active') and lease_expires <= _at order by lease_expires, turn limit 1000
  loop
    perform darkroom.end_lease(r, 'lease_expired', _at);
    if r.state = 'granted' then
      freed := freed || r;
    elsif darkroom.is_lost(r) then
      lost := lost || r;
    end if;
  end loop;
  return json_build_object(
    'freed', (select coalesce(json_agg(darkroom.ref_view(f) order by f.turn), '[]') from unnest(freed) f),
    'lost', (select coalesce(json_agg(darkroom.grant_view(l) order by l.turn), '[]') from unnest(lost) l));
end $$;

-- Requests past their deadline, a quarter of a lease later: a workflow that is alive withdraws on time itself, and then
-- either uses or gives back what it was granted in the meantime.
create or replace function darkroom.sweep_requests(_at timestamptz) returns json language plpgsql as $$
declare
  q darkroom.request;
  expired darkroom.request[] := '{}';
begin
  for q in
    select r.* from darkroom.request r, darkroom.settings s
    where r.state in ('deferred', 'ready') and r.deadline <= _at - darkroom.span(s.lease_ms / 4)
    order by r.deadline, r.submitted_at, r.seq limit 1000
  loop
    perform darkroom.close_request(q, 'expired', 'queue_timeout', _at);
    expired := expired || q;
  end loop;
  return (
    select coalesce(json_agg(json_build_object('job', e.job, 'runId', e.run_id, 'attempt', e.attempt) order by e.seq), '[]')
    from unnest(expired) e);
end $$;

-- Rows of the fleet that nothing refers to any more. A silent worker stays ten leases, since it may only have been cut
-- off and does not know that it should register again before its next heartbeat.
create or replace function darkroom.sweep_fleet(_at timestamptz) returns void language sql as $$
  delete from darkroom.node where draining and used = 0;
  delete from darkroom.worker w using darkroom.settings s
  where w.used = 0 and (w.removed or w.heartbeat_at < _at - darkroom.span(s.lease_ms * 10::bigint))
$$;
