-- The worker's heartbeat and the leases of its reservations, in one statement each. `registered` is false for a worker
-- that is not known (any more): it must register again to be granted anything.
create or replace function darkroom.renew(
  _worker text, _reservations text[], _generations int[], _at timestamptz default null,
  out registered boolean, out lost json, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  kept text[];
begin
  update darkroom.worker set heartbeat_at = greatest(heartbeat_at, now) where worker = _worker and not removed;
  registered := found;
  with renewed as (
    update darkroom.reservation r set lease_expires = now + darkroom.span(s.lease_ms)
    from darkroom.settings s, unnest(_reservations, _generations) as asked (reservation, generation)
    where r.reservation = asked.reservation and r.generation = asked.generation
      and r.worker = _worker and r.state in ('granted', 'active')
    returning r.reservation
  )
  select coalesce(array_agg(reservation), '{}') into kept from renewed;
  select coalesce(json_agg(json_build_object('reservation', a.reservation, 'generation', a.generation) order by a.n), '[]')
  into lost
  from unnest(_reservations, _generations) with ordinality as a (reservation, generation, n)
  where not exists (
    select from darkroom.reservation r
    where r.reservation = a.reservation and r.generation = a.generation and r.reservation = any (kept));
  -- A worker that was silent may be granted to again.
  grants := darkroom.grant_waiting(now);
end $$;
