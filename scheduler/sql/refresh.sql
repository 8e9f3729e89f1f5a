-- Eligibility is kept as state, never computed by scanning the queue: after each change to a user's due requests or to
-- who is full, these functions derive the sets anew with one index probe a placement. Derived rather than counted, so
-- that they cannot drift.

create or replace function darkroom.refresh_member(_workspace text, _user_id text, _class text)
returns void language plpgsql as $$
declare
  ready bigint;
  head_at timestamptz;
  head_seq bigint;
begin
  select coalesce(bit_or(1::bigint << p.placement), 0) into ready from darkroom.placement p
  where (
    select true from darkroom.request q
    where q.workspace = _workspace and q.user_id = _user_id and q.class = _class and q.placement = p.placement
      and q.state = 'ready' limit 1);
  -- The head only orders users who were never served.
  select q.submitted_at, q.seq into head_at, head_seq
  from darkroom.member m, darkroom.placement p, lateral (
    select submitted_at, seq from darkroom.request
    where workspace = _workspace and user_id = _user_id and class = _class and placement = p.placement
      and state = 'ready'
    order by submitted_at, seq limit 1
  ) q
  where m.workspace = _workspace and m.user_id = _user_id and ready <> 0
    and case _class when 'interactive' then m.served_interactive else m.served_background end is null
  order by q.submitted_at, q.seq limit 1;

  if _class = 'interactive' then
    update darkroom.member
    set ready_interactive = ready, head_at_interactive = head_at, head_seq_interactive = head_seq
    where workspace = _workspace and user_id = _user_id
      and (ready_interactive, head_seq_interactive) is distinct from (ready, head_seq);
  else
    update darkroom.member
    set ready_background = ready, head_at_background = head_at, head_seq_background = head_seq
    where workspace = _workspace and user_id = _user_id
      and (ready_background, head_seq_background) is distinct from (ready, head_seq);
  end if;
end $$;

create or replace function darkroom.refresh_workspace(_workspace text, _class text)
returns void language plpgsql as $$
declare
  open bigint;
  head_at timestamptz;
  head_seq bigint;
begin
  if _class = 'interactive' then
    select coalesce(bit_or(1::bigint << p.placement), 0) into open from darkroom.placement p
    where (
      select true from darkroom.member m
      where m.workspace = _workspace and m.ready_interactive <> 0 and not m.is_full
        and m.ready_interactive & (1::bigint << p.placement) <> 0 limit 1);
    -- Users of a workspace that was never served were never served either, so the first in their order has its head.
    select m.head_at_interactive, m.head_seq_interactive into head_at, head_seq
    from darkroom.workspace w join darkroom.member m using (workspace)
    where w.workspace = _workspace and w.served_interactive is null
      and m.ready_interactive <> 0 and not m.is_full
    order by m.served_interactive nulls first, m.head_at_interactive, m.head_seq_interactive limit 1;
    update darkroom.workspace
    set open_interactive = open, head_at_interactive = head_at, head_seq_interactive = head_seq
    where workspace = _workspace
      and (open_interactive, head_seq_interactive) is distinct from (open, head_seq);
  else
    select coalesce(bit_or(1::bigint << p.placement), 0) into open from darkroom.placement p
    where (
      select true from darkroom.member m
      where m.workspace = _workspace and m.ready_background <> 0 and not m.is_full
        and m.ready_background & (1::bigint << p.placement) <> 0 limit 1);
    select m.head_at_background, m.head_seq_background into head_at, head_seq
    from darkroom.workspace w join darkroom.member m using (workspace)
    where w.workspace = _workspace and w.served_background is null
      and m.ready_background <> 0 and not m.is_full
    order by m.served_background nulls first, m.head_at_background, m.head_seq_background limit 1;
    update darkroom.workspace
    set open_background = open, head_at_background = head_at, head_seq_background = head_seq
    where workspace = _workspace
      and (open_background, head_seq_background) is distinct from (open, head_seq);
  end if;
end $$;

create or replace function darkroom.refresh_line(_workspace text, _user_id text, _class text)
returns void language plpgsql as $$
begin
  perform darkroom.refresh_member(_workspace, _user_id, _class);
  perform darkroom.refresh_workspace(_workspace, _class);
end $$;
