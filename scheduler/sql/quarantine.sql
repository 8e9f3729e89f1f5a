-- Ends the lease and keeps the capacity counted: the session may still be alive. Frees nothing, so no pass.
create or replace function darkroom.quarantine(
  _reservation text, _generation int, _reason text, _at timestamptz default null, out quarantined boolean
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
begin
  select * into r from darkroom.reservation
  where reservation = _reservation and generation = _generation and state <> 'ended';
  quarantined := found;
  -- In quarantine already: asked again, by whoever did not hear the first answer.
  if r.state <> 'quarantined' then
    perform darkroom.quarantine_reservation(r, _reason, now);
  end if;
end $$;
