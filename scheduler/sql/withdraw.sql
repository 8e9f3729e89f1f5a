-- Takes a ticket out of the queue for good; what it holds already is freed, kept or named, never lost.
create or replace function darkroom.withdraw(
  _job text, _run_id text, _attempt int, _keep_grant boolean, _at timestamptz default null,
  out answer json, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  q darkroom.request;
  r darkroom.reservation;
begin
  grants := '[]';
  answer := json_build_object('state', 'withdrawn');
  select * into q from darkroom.request where job = _job and run_id = _run_id and attempt = _attempt;
  select * into r from darkroom.reservation where reservation = q.reservation;
  if q.job is null then
    perform darkroom.bury(_job, _run_id, _attempt, now);
    return;
  end if;
  if q.state = 'ended' then
    -- Buried all the same: a `requeue` on its way must not bring it back.
    perform darkroom.bury(_job, _run_id, _attempt, now);
    answer := json_build_object('state', 'ended');
    return;
  end if;
  if q.state = 'held' and (r.state = 'active' or _keep_grant) then
    update darkroom.reservation set delivered_at = coalesce(delivered_at, now) where reservation = r.reservation;
    answer := json_build_object('state', r.state, 'grant', darkroom.grant_view(r));
    return;
  end if;
  if q.state = 'held' then
    perform darkroom.end_reservation(r, 'freed', 'withdrawn', now);
  end if;
  perform darkroom.close_request(q, 'withdrawn', null, now);
  grants := darkroom.grant_waiting(now);
end $$;
