-- Claims the job's key, inserts the request and runs a pass, all or nothing.
create or replace function darkroom.request(
  _job text, _run_id text, _attempt int, _kind text, _class text, _workspace text, _user_id text,
  _contract_version int, _input_digest text, _artifact_id text, _artifact_version text, _queue_ms int,
  _at timestamptz default null,
  out answer json, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  j darkroom.job;
  q darkroom.request;
  placed smallint;
  refusal text;
  granted text[] := '{}';
begin
  grants := '[]';
  select * into j from darkroom.job where job = _job;
  if j.input_digest <> _input_digest then
    answer := json_build_object('state', 'refused', 'code', 'idempotency_conflict');
    return;
  end if;
  answer := darkroom.settled_answer(_job, _run_id, _attempt, now);
  if answer is not null then
    return;
  end if;

  placed := darkroom.place(_contract_version, _kind = 'agent_run');
  if j.job is null then
    perform darkroom.know(_workspace, _user_id);
    select a.refusal, a.granted into refusal, granted from darkroom.admit(_workspace, _user_id, placed, now) a;
    if refusal is not null then
      answer := json_build_object('state', 'refused', 'code', refusal);
      grants := darkroom.grant_views(granted);
      return;
    end if;
    insert into darkroom.job (job, kind, class, workspace, user_id, input_digest, artifact_id, artifact_version,
                              submitted_at, run_id, attempt)
    values (_job, _kind, _class, _workspace, _user_id, _input_digest, _artifact_id, _artifact_version,
            now, _run_id, _attempt) returning * into j;
  else
    select * into q from darkroom.request where job = _job;
    if found then
      perform darkroom.supersede(q, now);
    end if;
    update darkroom.job set run_id = _run_id, attempt = _attempt where job = _job;
  end if;

  insert into darkroom.request (job, run_id, attempt, class, workspace, user_id, placement, submitted_at, seq,
                                requested_at, queue_ms, state)
  values (_job, _run_id, _attempt, j.class, j.workspace, j.user_id, placed, j.submitted_at, j.seq, now, _queue_ms,
          'ready') returning * into q;
  perform darkroom.begin_deadline(_job, now);
  perform darkroom.record_ticket('requested', q, null, now);
  perform darkroom.enqueue(_job, null, now);
  granted := granted || darkroom.run_pass(now);
  answer := darkroom.ticket_answer(_job, _run_id, _attempt, now);
  grants := darkroom.grant_views(array_remove(granted, answer -> 'grant' ->> 'reservation'));
end $$;

-- The answer to a ticket that starts nothing new: a job that is done, a ticket known already, or one from the past.
create or replace function darkroom.settled_answer(_job text, _run_id text, _attempt int, _at timestamptz)
returns json language plpgsql as $$
declare
  done darkroom.result;
begin
  select * into done from darkroom.result where job = _job;
  if found then
    return darkroom.done_answer(done, _at);
  end if;
  if exists (select from darkroom.tombstone where job = _job and run_id = _run_id and attempt = _attempt)
    or exists (select from darkroom.request where job = _job and run_id = _run_id and attempt = _attempt) then
    return darkroom.ticket_answer(_job, _run_id, _attempt, _at);
  end if;
  -- A run that has been superseded, or an attempt before the present one, never takes the job back.
  if exists (
    select from darkroom.job j where j.job = _job and (
      (j.run_id = _run_id and j.attempt > _attempt)
      or (j.run_id <> _run_id
          and exists (select from darkroom.tombstone t where t.job = _job and t.run_id = _run_id)))
  ) then
    perform darkroom.bury(_job, _run_id, _attempt, _at);
    return json_build_object('state', 'withdrawn');
  end if;
  return null;
end $$;

create or replace function darkroom.place(_contract_version int, _agent boolean) returns smallint language plpgsql as $$
declare
  known smallint;
begin
  select placement into known from darkroom.placement where contract_version = _contract_version and agent = _agent;
  if not found then
    insert into darkroom.placement (placement, contract_version, agent)
    select count(*), _contract_version, _agent from darkroom.placement returning placement into known;
  end if;
  return known;
end $$;

-- Rows of a workspace and a user that are seen for the first time.
create or replace function darkroom.know(_workspace text, _user_id text) returns void language plpgsql as $$
declare
  s darkroom.settings;
begin
  if exists (select from darkroom.member where workspace = _workspace and user_id = _user_id) then
    return;
  end if;
  select * into s from darkroom.settings;
  insert into darkroom.workspace (workspace, is_full) values (_workspace, s.limit_running_per_workspace <= 0)
  on conflict do nothing;
  insert into darkroom.account (user_id) values (_user_id) on conflict do nothing;
  insert into darkroom.member (workspace, user_id, is_full)
  select _workspace, _user_id, a.running >= s.limit_running_per_user from darkroom.account a where a.user_id = _user_id;
end $$;

-- A full queue refuses only what would have to wait in it. To know that, the pass runs first: then nobody eligible is
-- before this request, and it would be granted exactly if there is room.
create or replace function darkroom.admit(
  _workspace text, _user_id text, _placement smallint, _at timestamptz, out refusal text, out granted text[]
) language plpgsql as $$
begin
  granted := '{}';
  if darkroom.full_queue(_workspace, _user_id) is null then
    return;
  end if;
  granted := darkroom.run_pass(_at);
  if not darkroom.has_room(_workspace, _user_id, _placement, _at) then
    refusal := darkroom.full_queue(_workspace, _user_id);
  end if;
end $$;

create or replace function darkroom.full_queue(_workspace text, _user_id text) returns text language plpgsql stable as $$
begin
  return (
    select case
      when c.waiting_interactive + c.waiting_background >= s.limit_waiting then 'queue_full'
      when w.waiting >= s.limit_waiting_per_workspace then 'workspace_queue_full'
      when a.waiting >= s.limit_waiting_per_user then 'user_queue_full'
    end
    from darkroom.control c, darkroom.settings s, darkroom.workspace w, darkroom.account a
    where w.workspace = _workspace and a.user_id = _user_id);
end $$;

-- Could a request be granted now? Asked after a pass, so that nobody eligible is before it.
create or replace function darkroom.has_room(_workspace text, _user_id text, _placement smallint, _at timestamptz)
returns boolean language plpgsql stable as $$
begin
  return (
    select not s.paused and c.running < s.limit_running
      and w.running < s.limit_running_per_workspace and a.running < s.limit_running_per_user
      and (not p.agent or c.running_agents < s.limit_running_agents)
      and (darkroom.choose_pair(p.contract_version, _at)).node is not null
    from darkroom.control c, darkroom.settings s, darkroom.workspace w, darkroom.account a, darkroom.placement p
    where w.workspace = _workspace and a.user_id = _user_id and p.placement = _placement);
end $$;
