-- The scheduling pass: grants until no eligible request waits. Everything that can make a request eligible ends with it,
-- in the same transaction. Returns the reservations that it granted.
create or replace function darkroom.run_pass(_at timestamptz) returns text[] language plpgsql as $$
declare
  granted text[] := '{}';
  usable bigint;
  job text;
begin
  perform darkroom.admit_due(_at);
  loop
    usable := darkroom.usable_placements(_at);
    exit when usable = 0;
    job := darkroom.next_job(usable);
    exit when job is null;
    granted := granted || darkroom.grant_capacity(job, _at);
  end loop;
  return granted;
end $$;

-- The pass, and what it granted as callers are told. Two statements, because the view must see what the pass wrote.
create or replace function darkroom.grant_waiting(_at timestamptz) returns json language plpgsql as $$
declare
  granted text[] := darkroom.run_pass(_at);
begin
  return darkroom.grant_views(granted);
end $$;

-- Requests whose `not_before` has come join their user's line.
create or replace function darkroom.admit_due(_at timestamptz) returns void language plpgsql as $$
declare
  due record;
begin
  for due in
    update darkroom.request set state = 'ready', not_before = null
    where state = 'deferred' and not_before <= _at
    returning workspace, user_id, class
  loop
    perform darkroom.refresh_line(due.workspace, due.user_id, due.class);
  end loop;
end $$;

create or replace function darkroom.grant_capacity(_job text, _at timestamptz) returns text language plpgsql as $$
declare
  s darkroom.settings;
  current_turn bigint;
  j darkroom.job;
  q darkroom.request;
  r darkroom.reservation;
begin
  update darkroom.control set turn = turn + 1 returning turn into current_turn;
  select * into s from darkroom.settings;
  update darkroom.job set generation = generation + 1 where job = _job returning * into j;
  r.reservation := darkroom.new_reservation_id();
  update darkroom.request set state = 'held', reservation = r.reservation where job = _job returning * into q;

  select q.job, q.run_id, q.attempt, j.generation, j.kind, q.class, q.workspace, q.user_id, p.agent, pair.node,
         pair.worker, 'granted', current_turn, _at, greatest(0, darkroom.ms(_at - q.requested_at)), q.refusals
  into r.job, r.run_id, r.attempt, r.generation, r.kind, r.class, r.workspace, r.user_id, r.agent, r.node,
       r.worker, r.state, r.turn, r.granted_at, r.waited_ms, r.refusals
  from darkroom.placement p, darkroom.choose_pair(p.contract_version, _at) pair where p.placement = q.placement;
  update darkroom.node set used = used + 1, last_used = current_turn where node = r.node
  returning session_limit_ms into r.session_limit_ms;
  update darkroom.worker set used = used + 1, last_used = current_turn where worker = r.worker;
  r.lease_expires := _at + darkroom.span(s.lease_ms);
  r.hard_expires := _at + darkroom.span(s.lease_ms + s.connect_ms + r.session_limit_ms);
  insert into darkroom.reservation select r.*;

  perform darkroom.take_turn(q.workspace, q.user_id, q.class, current_turn);
  perform darkroom.count_waiting(q.workspace, q.user_id, q.class, -1);
  perform darkroom.count_running(q.workspace, q.user_id, r.agent, 1);
  perform darkroom.refresh_line(q.workspace, q.user_id, q.class);
  perform darkroom.record_reservation('granted', r, null, _at);
  return r.reservation;
end $$;

-- From now on turns order this workspace and this user in the class, not their oldest request.
create or replace function darkroom.take_turn(_workspace text, _user_id text, _class text, _turn bigint)
returns void language plpgsql as $$
begin
  if _class = 'interactive' then
    update darkroom.workspace set served_interactive = _turn, head_at_interactive = null, head_seq_interactive = null
    where workspace = _workspace;
    update darkroom.member set served_interactive = _turn, head_at_interactive = null, head_seq_interactive = null
    where workspace = _workspace and user_id = _user_id;
  else
    update darkroom.workspace set served_background = _turn, head_at_background = null, head_seq_background = null
    where workspace = _workspace;
    update darkroom.member set served_background = _turn, head_at_background = null, head_seq_background = null
    where workspace = _workspace and user_id = _user_id;
  end if;
end $$;

-- 26 characters `[a-z0-9]` from the 28 bytes of two random uuids that carry no fixed bits (bytes 6 and 8 do): about 134
-- bits, without an extension.
create or replace function darkroom.new_reservation_id() returns text language plpgsql as $$
declare
  bytes bytea := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
  id text := '';
begin
  for i in 0 .. 31 loop
    continue when i % 16 in (6, 8) or length(id) = 26;
    id := id || substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + get_byte(bytes, i) % 36, 1);
  end loop;
  return id;
end $$;
