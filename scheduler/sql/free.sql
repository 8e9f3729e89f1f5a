-- By an operator's hand, who has seen for himself that the node no longer has the session. Only from quarantine: whatever
-- else holds capacity is ended by cancelling its job.
create or replace function darkroom.free(
  _reservation text, _at timestamptz default null, out freed boolean, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
begin
  grants := '[]';
  select * into r from darkroom.reservation where reservation = _reservation and state = 'quarantined';
  freed := found;
  if freed then
    perform darkroom.end_reservation(r, 'freed', 'operator', now);
    grants := darkroom.grant_waiting(now);
  end if;
end $$;
