-- What becomes of the objects that these reservations uploaded: `kept` while the session may still use them, they are of
-- the job's result, or of its evidence; `orphan` when nothing can name them any more. One that is not known is left out.
create or replace function darkroom.uploads(_reservations text[], _at timestamptz default null)
returns json language sql stable as $$
  select coalesce(json_object_agg(r.reservation, case
    when r.state <> 'ended' then 'kept'
    when d.job is not null then
      case when d.reservation = r.reservation and d.cleared_at is null then 'kept' else 'orphan' end
    -- A job that has no result may have evidence of this attempt, kept for as long as a result would be.
    when r.ended_at + darkroom.span(s.result_ms) > coalesce(_at, clock_timestamp()) then 'kept'
    else 'orphan'
  end), '{}')
  from darkroom.settings s, darkroom.reservation r left join darkroom.result d on d.job = r.job
  where r.reservation = any (_reservations)
$$;
