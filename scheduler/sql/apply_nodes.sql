-- The operator's whole list of nodes. One that is missing is disabled, and goes when its last session has ended; what
-- runs on a changed entry goes on.
create or replace function darkroom.apply_nodes(_nodes json, _at timestamptz default null, out grants json)
language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
begin
  insert into darkroom.node as n (node, max_sessions, enabled, zone, session_limit_ms, hash)
  select e.node, e."maxSessions", e.enabled, e.zone, e."sessionLimitMs", e.hash
  from json_to_recordset(_nodes) as e (
    node text, "maxSessions" int, enabled boolean, zone text, "sessionLimitMs" int, hash text)
  on conflict (node) do update
  set max_sessions = excluded.max_sessions, enabled = excluded.enabled, zone = excluded.zone,
      session_limit_ms = excluded.session_limit_ms, hash = excluded.hash, draining = false;
  update darkroom.node n set enabled = false, draining = true
  where not exists (select from json_array_elements(_nodes) e where e ->> 'node' = n.node);
  delete from darkroom.node where draining and used = 0;
  grants := darkroom.grant_waiting(now);
end $$;
