-- Ends the lease and keeps the capacity counted: the session may still be alive. What was freed instead is handed on.
create or replace function darkroom.quarantine(
  _reservation text, _generation int, _reason text, _at timestamptz default null, out quarantined boolean,
  out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
begin
  grants := '[]';
  select * into r from darkroom.reservation
  where reservation = _reservation and generation = _generation and state <> 'ended';
  quarantined := found and r.state <> 'granted';
  -- In quarantine already: asked again, by whoever did not hear the first answer.
  perform darkroom.end_lease(r, _reason, now);
  if r.state = 'granted' then
    grants := darkroom.grant_waiting(now);
  end if;
end $$;
