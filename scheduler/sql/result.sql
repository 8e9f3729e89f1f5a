create or replace function darkroom.result_of(_job text) returns json language sql stable as $$
  select darkroom.result_view(d) from darkroom.result d where d.job = _job and d.cleared_at is null
$$;

-- Its time is over, whether or not its objects have been deleted yet.
create or replace function darkroom.is_expired(_d darkroom.result, _at timestamptz)
returns boolean language sql immutable as $$
  select _d.cleared_at is not null or _d.expires_at <= _at
$$;

create or replace function darkroom.done_answer(_d darkroom.result, _at timestamptz)
returns json language sql immutable as $$
  select case
    when darkroom.is_expired(_d, _at) then json_build_object('state', 'refused', 'code', 'result_expired')
    else json_build_object('state', 'done', 'result', darkroom.result_view(_d))
  end
$$;

-- Whether the end of this reservation takes something from its job: not where its session was opened for nothing more.
create or replace function darkroom.is_lost(_held darkroom.reservation) returns boolean language sql stable as $$
  select _held.state = 'active'
    and not exists (select from darkroom.result d where d.reservation = _held.reservation)
$$;
