-- granted → active, before the node is dialled. `session_ms` is null when the reference or the nonce is stale. It leaves
-- the connect time out, since the node counts from the attach: even the latest one ends by the hard expiry. A lease that
-- has run out still counts until the sweep has freed it, so it may still be activated.
create or replace function darkroom.activate(
  _reservation text, _generation int, _nonce text, _at timestamptz default null, out session_ms bigint
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
  r darkroom.reservation;
begin
  select * into r from darkroom.reservation where reservation = _reservation and generation = _generation;
  if r.state = 'granted' then
    update darkroom.reservation
    set state = 'active', nonce = _nonce, activated_at = now,
        lease_expires = now + darkroom.span(s.lease_ms),
        hard_expires = now + darkroom.span(s.connect_ms + session_limit_ms)
    from darkroom.settings s where reservation = _reservation
    returning hard_expires into r.hard_expires;
    perform darkroom.record_reservation('activated', r, null, now);
  elsif r.state is distinct from 'active' or r.nonce <> _nonce then
    return;
  end if;
  session_ms := (
    select greatest(0, darkroom.ms(r.hard_expires - now) - s.connect_ms) from darkroom.settings s);
end $$;
