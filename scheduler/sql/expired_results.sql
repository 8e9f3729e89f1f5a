-- Results whose time is over and whose objects may still be there, the oldest first.
create or replace function darkroom.expired_results(_most int, _at timestamptz default null)
returns json language sql stable as $$
  select coalesce(json_agg(darkroom.stored_view(d) order by d.expires_at), '[]') from (
    select * from darkroom.result
    where cleared_at is null and expires_at <= coalesce(_at, clock_timestamp())
    order by expires_at limit _most
  ) d
$$;

create or replace function darkroom.stored_view(_d darkroom.result) returns json language sql immutable as $$
  select json_build_object(
    'job', _d.job, 'folder', _d.folder, 'reservation', _d.reservation, 'result', _d.result)
$$;
