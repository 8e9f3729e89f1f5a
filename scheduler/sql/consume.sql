-- Hands the job's result over to who expects just what the job was asked for. The first caller is remembered; a repeat,
-- by whomever, is handed the same and told who was first, as long as it is kept. A difference consumes nothing.
create or replace function darkroom.consume(
  _job text, _by text, _artifact_id text, _artifact_version text, _input_digest text, _at timestamptz default null,
  out answer json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  j darkroom.job;
  done darkroom.result;
  is_first boolean;
begin
  select * into done from darkroom.result d where d.job = _job;
  if not found then
    answer := json_build_object('state', 'none');
    return;
  end if;
  select * into j from darkroom.job where job = _job;
  if (j.artifact_id, j.artifact_version, j.input_digest)
     is distinct from (_artifact_id, _artifact_version, _input_digest) then
    answer := json_build_object('state', 'refused', 'code', 'result_mismatch');
    return;
  end if;
  if darkroom.is_expired(done, now) then
    answer := json_build_object('state', 'refused', 'code', 'result_expired');
    return;
  end if;
  is_first := done.consumed_at is null;
  if is_first then
    -- Kept a little longer: whoever consumed it has yet to fetch its objects, or to ask again after a lost answer.
    update darkroom.result
    set consumed_by = _by, consumed_at = now, expires_at = least(expires_at, now + darkroom.span(s.consumed_ms))
    from darkroom.settings s where job = _job
    returning result.* into done;
    perform darkroom.record_job('consumed', j, done.attempt, _by, now);
  end if;
  answer := json_build_object(
    'state', case when is_first then 'consumed' else 'already' end,
    'by', done.consumed_by, 'result', darkroom.result_view(done));
end $$;
