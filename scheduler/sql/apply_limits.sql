-- New limits and leases. Lower ones stop grants and kill nothing; leases that have been given stay as they are.
create or replace function darkroom.apply_limits(_limits json, _leases json, _at timestamptz default null, out grants json)
language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  s darkroom.settings;
begin
  update darkroom.settings
  set limit_running = (_limits ->> 'running')::int,
      limit_running_per_worker = (_limits ->> 'runningPerWorker')::int,
      limit_running_per_user = (_limits ->> 'runningPerUser')::int,
      limit_running_per_workspace = (_limits ->> 'runningPerWorkspace')::int,
      limit_running_agents = (_limits ->> 'runningAgents')::int,
      limit_waiting = (_limits ->> 'waiting')::int,
      limit_waiting_per_workspace = (_limits ->> 'waitingPerWorkspace')::int,
      limit_waiting_per_user = (_limits ->> 'waitingPerUser')::int,
      lease_ms = (_leases ->> 'leaseMs')::int,
      connect_ms = (_leases ->> 'connectMs')::int,
      worker_suspect_ms = (_leases ->> 'workerSuspectMs')::int
  returning * into s;
  update darkroom.workspace set is_full = running >= s.limit_running_per_workspace
  where is_full <> (running >= s.limit_running_per_workspace);
  update darkroom.member m set is_full = a.running >= s.limit_running_per_user
  from darkroom.account a where a.user_id = m.user_id and m.is_full <> (a.running >= s.limit_running_per_user);
  perform darkroom.refresh_workspace(w.workspace, class.name)
  from darkroom.workspace w, (values ('interactive'), ('background')) class (name) where w.waiting > 0;
  grants := darkroom.grant_waiting(now);
end $$;
