-- The node no longer has the session. Believed when the id was barred by a kill, when the session was never activated,
-- or when whoever activated it can no longer be dialling; before that the session may be about to appear.
create or replace function darkroom.confirm_gone(
  _reservation text, _barred boolean, _at timestamptz default null, out freed boolean, out lost json, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
begin
  lost := '[]';
  grants := '[]';
  select held.* into r from darkroom.reservation held, darkroom.settings s
  where held.reservation = _reservation and held.state in ('active', 'quarantined')
    and (_barred or held.activated_at is null or held.activated_at + darkroom.span(s.connect_ms) <= now);
  freed := found;
  if freed then
    perform darkroom.end_reservation(r, 'freed', 'confirmed_gone', now);
    if darkroom.is_lost(r) then
      lost := json_build_array(darkroom.grant_view(r));
    end if;
    grants := darkroom.grant_waiting(now);
  end if;
end $$;
