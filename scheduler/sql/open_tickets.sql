-- Tickets that wait, or hold capacity, for longer than this, the oldest first: whoever knows Temporal looks whether their
-- workflows are still there.
create or replace function darkroom.open_tickets(_older_ms bigint, _most int, _at timestamptz default null)
returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('job', t.job, 'runId', t.run_id, 'attempt', t.attempt)
                           order by t.since), '[]')
  from (
    select job, run_id, attempt, since from (
      select job, run_id, attempt, requested_at as since from darkroom.request where state in ('deferred', 'ready')
      union all
      select job, run_id, attempt, granted_at from darkroom.reservation where state in ('granted', 'active')
    ) open
    where since <= coalesce(_at, clock_timestamp()) - darkroom.span(_older_ms)
    order by since limit _most
  ) t
$$;
