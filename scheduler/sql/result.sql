create or replace function darkroom.result_of(_job text) returns json language sql stable as $$
  select darkroom.result_view(d) from darkroom.result d where d.job = _job
$$;

-- Whether the end of this reservation takes something from its job: not where its session was opened for nothing more.
create or replace function darkroom.is_lost(_held darkroom.reservation) returns boolean language sql stable as $$
  select _held.state = 'active'
    and not exists (select from darkroom.result d where d.reservation = _held.reservation)
$$;
