-- The job's one result, written only while reservation, generation, attempt and worker still hold the job.
create or replace function darkroom.commit(
  _job text, _attempt int, _reservation text, _generation int, _worker text, _result json,
  _at timestamptz default null, out state text, out result json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  done darkroom.result;
  r darkroom.reservation;
begin
  select * into done from darkroom.result d where d.job = _job;
  if found then
    state := case when (done.reservation, done.generation, done.worker) = (_reservation, _generation, _worker)
             then 'already' else 'stale' end;
    result := case when state = 'already' then darkroom.result_view(done) end;
    return;
  end if;
  insert into darkroom.result (job, attempt, kind, reservation, generation, worker, result, committed_at, expires_at)
  select held.job, held.attempt, held.kind, held.reservation, held.generation, held.worker, _result, now,
         now + darkroom.span(s.result_ms)
  from darkroom.reservation held, darkroom.settings s
  where held.reservation = _reservation and held.generation = _generation and held.job = _job
    and held.attempt = _attempt and held.worker = _worker and held.state = 'active'
  returning * into done;
  if not found then
    state := 'stale';
    return;
  end if;
  select * into r from darkroom.reservation held where held.reservation = _reservation;
  perform darkroom.record_reservation('committed', r, null, now);
  state := 'committed';
  result := darkroom.result_view(done);
end $$;
