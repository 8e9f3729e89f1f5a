-- Frees the slot and hands it on, in one transaction.
create or replace function darkroom.release(
  _reservation text, _generation int, _at timestamptz default null, out released boolean, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
begin
  grants := '[]';
  select * into r from darkroom.reservation
  where reservation = _reservation and generation = _generation and state <> 'ended';
  released := found;
  if released then
    perform darkroom.end_reservation(r, 'released', null, now);
    grants := darkroom.grant_waiting(now);
  end if;
end $$;
