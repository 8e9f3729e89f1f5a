-- Who comes next, and where. Each function reads the front of an index.

-- The node and worker that a job of this contract version would get now; null when there is none. The node with the
-- highest free ratio, then the least recently used; among its workers those of the same zone first, then the same rule.
create or replace function darkroom.choose_pair(
  _contract_version int, _at timestamptz, out node text, out worker text
) language plpgsql stable as $$
begin
  select n.node, w.worker into node, worker
  from darkroom.settings s
  cross join darkroom.node n
  cross join lateral (
    select w.worker from darkroom.worker w
    where not w.removed and not w.draining
      and w.heartbeat_at >= _at - darkroom.span(s.worker_suspect_ms)
      and _contract_version = any (w.contract_versions)
      and w.node_hashes ->> n.node = n.hash
      and w.used < least(w.slots, s.limit_running_per_worker)
    order by coalesce(w.zone = n.zone, false) desc,
      1 - w.used::float8 / least(w.slots, s.limit_running_per_worker) desc, w.last_used, w.worker
    limit 1
  ) w
  where n.enabled and not n.draining and n.health = 'healthy' and n.used < n.max_sessions
    and (n.cooling_until is null or n.cooling_until <= _at)
  order by 1 - n.used::float8 / n.max_sessions desc, n.last_used, n.node
  limit 1;
end $$;

-- The placements that could be granted now, as a set of bits; 0 also when the global limit or a pause forbids any.
create or replace function darkroom.usable_placements(_at timestamptz) returns bigint language plpgsql stable as $$
begin
  return (
    select coalesce(bit_or(1::bigint << p.placement), 0)
    from darkroom.control c cross join darkroom.settings s cross join darkroom.placement p
    where not s.paused and c.running < s.limit_running and c.waiting_interactive + c.waiting_background > 0
      and (not p.agent or c.running_agents < s.limit_running_agents)
      and (darkroom.choose_pair(p.contract_version, _at)).node is not null);
end $$;

-- The workspace whose turn it is: never served first, the one with the oldest request leading; then least recently.
create or replace function darkroom.next_workspace(_class text, _usable bigint) returns text language plpgsql stable as $$
begin
  if _class = 'interactive' then
    return (
      select w.workspace from darkroom.workspace w
      where w.open_interactive <> 0 and not w.is_full and w.open_interactive & _usable <> 0
      order by w.served_interactive nulls first, w.head_at_interactive, w.head_seq_interactive limit 1);
  end if;
  return (
    select w.workspace from darkroom.workspace w
    where w.open_background <> 0 and not w.is_full and w.open_background & _usable <> 0
    order by w.served_background nulls first, w.head_at_background, w.head_seq_background limit 1);
end $$;

-- The same rule among the workspace's users.
create or replace function darkroom.next_user(_workspace text, _class text, _usable bigint)
returns text language plpgsql stable as $$
begin
  if _class = 'interactive' then
    return (
      select m.user_id from darkroom.member m
      where m.workspace = _workspace and m.ready_interactive <> 0 and not m.is_full
        and m.ready_interactive & _usable <> 0
      order by m.served_interactive nulls first, m.head_at_interactive, m.head_seq_interactive limit 1);
  end if;
  return (
    select m.user_id from darkroom.member m
    where m.workspace = _workspace and m.ready_background <> 0 and not m.is_full
      and m.ready_background & _usable <> 0
    order by m.served_background nulls first, m.head_at_background, m.head_seq_background limit 1);
end $$;

-- With both classes eligible the cycle decides and moves on; with one, it is served and nothing is saved up.
create or replace function darkroom.next_class(_interactive boolean, _background boolean)
returns text language plpgsql as $$
declare
  place smallint;
begin
  if not (_interactive and _background) then
    return case when _interactive then 'interactive' when _background then 'background' end;
  end if;
  update darkroom.control set cycle = (cycle + 1) % 4 returning (cycle + 3) % 4 into place;
  return case when place = 3 then 'background' else 'interactive' end;
end $$;

-- The job that is granted next; null when no eligible request waits.
create or replace function darkroom.next_job(_usable bigint) returns text language plpgsql as $$
declare
  interactive text := darkroom.next_workspace('interactive', _usable);
  background text := darkroom.next_workspace('background', _usable);
  chosen_class text := darkroom.next_class(interactive is not null, background is not null);
  chosen_workspace text := case chosen_class when 'interactive' then interactive else background end;
  chosen_user text;
begin
  if chosen_class is null then
    return null;
  end if;
  chosen_user := darkroom.next_user(chosen_workspace, chosen_class, _usable);
  return (
    select q.job from darkroom.placement p, lateral (
      select job, submitted_at, seq from darkroom.request
      where workspace = chosen_workspace and user_id = chosen_user and class = chosen_class
        and placement = p.placement and state = 'ready'
      order by submitted_at, seq limit 1
    ) q
    where _usable & (1::bigint << p.placement) <> 0
    order by q.submitted_at, q.seq limit 1);
end $$;
