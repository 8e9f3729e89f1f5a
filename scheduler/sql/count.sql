-- Counters of running and waiting, each changed in one place.

-- One more or one less running. A user who becomes full, or stops being so, does in all workspaces at once.
create or replace function darkroom.count_running(_workspace text, _user_id text, _agent boolean, _by int)
returns void language plpgsql as $$
declare
  s darkroom.settings;
  user_full boolean;
  touched text;
begin
  update darkroom.control
  set running = running + _by, running_agents = running_agents + case when _agent then _by else 0 end;
  select * into s from darkroom.settings;
  update darkroom.workspace
  set running = running + _by, is_full = running + _by >= s.limit_running_per_workspace
  where workspace = _workspace;
  update darkroom.account set running = running + _by where user_id = _user_id
  returning running >= s.limit_running_per_user into user_full;
  for touched in
    update darkroom.member set is_full = user_full where user_id = _user_id and is_full <> user_full
    returning workspace
  loop
    perform darkroom.refresh_workspace(touched, 'interactive');
    perform darkroom.refresh_workspace(touched, 'background');
  end loop;
end $$;

create or replace function darkroom.count_waiting(_workspace text, _user_id text, _class text, _by int)
returns void language plpgsql as $$
begin
  if _class = 'interactive' then
    update darkroom.control set waiting_interactive = waiting_interactive + _by;
  else
    update darkroom.control set waiting_background = waiting_background + _by;
  end if;
  update darkroom.workspace set waiting = waiting + _by where workspace = _workspace;
  update darkroom.account set waiting = waiting + _by where user_id = _user_id;
end $$;
