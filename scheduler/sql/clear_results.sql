-- The objects of these results are gone: what is left of each is a summary. Repeated, it changes nothing.
create or replace function darkroom.clear_results(
  _jobs text[], _summaries jsonb[], _reason text, _at timestamptz default null, out cleared bigint
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
begin
  with gone as (
    update darkroom.result d set result = null, cleared_at = now, summary = told.summary
    from unnest(_jobs, _summaries) as told (job, summary)
    where d.job = told.job and d.cleared_at is null
    returning d.job, d.attempt
  ), lines as (
    select darkroom.record_job('cleared', j, gone.attempt, _reason, now)
    from gone join darkroom.job j on j.job = gone.job
  )
  select count(*) into cleared from lines;
end $$;
