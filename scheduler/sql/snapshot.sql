-- What operators and the tests see, from one statement's view of the data; takes no lock.
create or replace function darkroom.snapshot(_at timestamptz default null) returns json language sql stable as $$
  with clock as (select coalesce(_at, clock_timestamp()) as now)
  select json_build_object(
    'limits', json_build_object(
      'running', s.limit_running, 'runningPerWorker', s.limit_running_per_worker,
      'runningPerUser', s.limit_running_per_user, 'runningPerWorkspace', s.limit_running_per_workspace,
      'runningAgents', s.limit_running_agents, 'waiting', s.limit_waiting,
      'waitingPerWorkspace', s.limit_waiting_per_workspace, 'waitingPerUser', s.limit_waiting_per_user),
    'running', c.running,
    'waiting', json_build_object('interactive', c.waiting_interactive, 'background', c.waiting_background),
    'oldestWaitMs', (
      select darkroom.ms(max(now - q.requested_at)) from darkroom.request q where q.state in ('deferred', 'ready')),
    'paused', s.paused,
    'nodes', (
      select coalesce(json_agg(json_build_object(
        'node', n.node, 'maxSessions', n.max_sessions, 'enabled', n.enabled, 'zone', n.zone,
        'sessionLimitMs', n.session_limit_ms, 'hash', n.hash, 'health', n.health, 'used', n.used,
        'quarantined', n.quarantined, 'draining', n.draining) order by n.node), '[]')
      from darkroom.node n),
    'workers', (
      select coalesce(json_agg(json_build_object(
        'worker', w.worker, 'slots', w.slots,
        'used', case state.name when 'dead' then w.used - w.quarantined else w.used end,
        'state', state.name, 'heartbeatAgeMs', darkroom.ms(now - w.heartbeat_at)) order by w.worker), '[]')
      from darkroom.worker w, lateral (select darkroom.worker_state(w, s, now) as name) state),
    'reservations', (
      select coalesce(json_agg(json_build_object(
        'reservation', r.reservation, 'generation', r.generation, 'job', r.job, 'state', r.state, 'node', r.node,
        'worker', r.worker, 'ageMs', darkroom.ms(now - r.granted_at), 'reason', r.reason) order by r.turn), '[]')
      from darkroom.reservation r where r.state <> 'ended'))
  from clock, darkroom.control c, darkroom.settings s
$$;

-- Told by the age of the heartbeat: suspect gets nothing new, and a whole lease of silence means dead, since by then
-- none of its sessions can have been renewed.
create or replace function darkroom.worker_state(_w darkroom.worker, _s darkroom.settings, _at timestamptz)
returns text language sql immutable as $$
  select case
    when _w.removed or _w.heartbeat_at < _at - darkroom.span(_s.lease_ms) then 'dead'
    when _w.draining then 'draining'
    when _w.heartbeat_at < _at - darkroom.span(_s.worker_suspect_ms) then 'suspect'
    else 'live'
  end
$$;
