-- Ends the lease and keeps the capacity counted: the session may still be alive. Without an activation nobody has dialled
-- the node, and nobody will: that capacity is freed and handed on.
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
  if r.state = 'granted' then
    perform darkroom.end_reservation(r, 'freed', _reason, now);
    grants := darkroom.grant_waiting(now);
  -- In quarantine already: asked again, by whoever did not hear the first answer.
  elsif r.state = 'active' then
    perform darkroom.quarantine_reservation(r, _reason, now);
  end if;
end $$;
