-- Also the way to tell new slots or node hashes. A draining worker that registers again keeps draining; one that was
-- removed begins anew.
create or replace function darkroom.register_worker(
  _worker text, _slots int, _build text, _contract_versions int[], _zone text, _node_hashes jsonb,
  _at timestamptz default null, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
begin
  insert into darkroom.worker as w (worker, slots, build, contract_versions, zone, node_hashes, heartbeat_at, used,
                                    quarantined)
  -- Sessions of a worker whose row was swept away are still its own.
  select _worker, _slots, _build, _contract_versions, _zone, _node_hashes, now,
         count(*), count(*) filter (where r.state = 'quarantined')
  from darkroom.reservation r where r.worker = _worker and r.state <> 'ended'
  on conflict (worker) do update
  set slots = _slots, build = _build, contract_versions = _contract_versions, zone = _zone,
      node_hashes = _node_hashes, heartbeat_at = greatest(w.heartbeat_at, now),
      draining = w.draining and not w.removed, removed = false;
  grants := darkroom.grant_waiting(now);
end $$;
