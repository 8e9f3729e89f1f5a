-- Ways out of a reservation. Both end the request's hold, so that `requeue` may bring it back.

create or replace function darkroom.quarantine_reservation(_r darkroom.reservation, _reason text, _at timestamptz)
returns void language plpgsql as $$
begin
  update darkroom.reservation set state = 'quarantined', quarantined_at = _at, reason = _reason
  where reservation = _r.reservation;
  update darkroom.node set quarantined = quarantined + 1 where node = _r.node;
  update darkroom.worker set quarantined = quarantined + 1 where worker = _r.worker;
  update darkroom.request set state = 'ended'
  where job = _r.job and reservation = _r.reservation and state = 'held';
  perform darkroom.record_reservation('quarantined', _r, _reason, _at);
end $$;

-- Ends a lease that nobody gave back. A grant without an activation has no session, since a worker activates before it
-- dials: it is freed. The session of an active one may live on: it is quarantined. Another state is left alone.
create or replace function darkroom.end_lease(_r darkroom.reservation, _reason text, _at timestamptz)
returns void language plpgsql as $$
begin
  if _r.state = 'granted' then
    perform darkroom.end_reservation(_r, 'freed', _reason, _at);
  elsif _r.state = 'active' then
    perform darkroom.quarantine_reservation(_r, _reason, _at);
  end if;
end $$;

create or replace function darkroom.end_reservation(
  _r darkroom.reservation, _event text, _reason text, _at timestamptz
) returns void language plpgsql as $$
declare
  was_quarantined int := case when _r.state = 'quarantined' then 1 else 0 end;
begin
  update darkroom.reservation set state = 'ended', ended_at = _at where reservation = _r.reservation;
  update darkroom.node set used = used - 1, quarantined = quarantined - was_quarantined where node = _r.node;
  update darkroom.worker set used = used - 1, quarantined = quarantined - was_quarantined where worker = _r.worker;
  update darkroom.request set state = 'ended'
  where job = _r.job and reservation = _r.reservation and state = 'held';
  perform darkroom.count_running(_r.workspace, _r.user_id, _r.agent, -1);
  perform darkroom.record_reservation(_event, _r, _reason, _at);
  if was_quarantined = 1 then
    perform darkroom.begin_deadline(_r.job, _at);
  end if;
end $$;

-- The queue deadline of a retry begins when its job holds no quarantined reservation any more: until then its own
-- earlier session may be what keeps it waiting.
create or replace function darkroom.begin_deadline(_job text, _at timestamptz)
returns void language plpgsql as $$
begin
  update darkroom.request set deadline = _at + darkroom.span(queue_ms)
  where job = _job and deadline is null
    and not exists (select from darkroom.reservation r where r.job = _job and r.state = 'quarantined');
end $$;

-- A request that comes back while such a session may live has not begun to wait.
create or replace function darkroom.suspend_deadline(_job text) returns void language plpgsql as $$
begin
  update darkroom.request set deadline = null
  where job = _job and exists (select from darkroom.reservation r where r.job = _job and r.state = 'quarantined');
end $$;
