-- Ledger lines. About a ticket, about a job whatever became of its tickets, and about a reservation.
create or replace function darkroom.record_ticket(_event text, _q darkroom.request, _reason text, _at timestamptz)
returns void language plpgsql as $$
begin
  insert into darkroom.ledger (at, event, job, attempt, class, workspace, user_id, reason)
  values (_at, _event, _q.job, _q.attempt, _q.class, _q.workspace, _q.user_id, _reason);
end $$;

create or replace function darkroom.record_job(
  _event text, _j darkroom.job, _attempt int, _reason text, _at timestamptz
) returns void language plpgsql as $$
begin
  insert into darkroom.ledger (at, event, job, attempt, class, workspace, user_id, reason)
  values (_at, _event, _j.job, _attempt, _j.class, _j.workspace, _j.user_id, _reason);
end $$;

create or replace function darkroom.record_reservation(
  _event text, _r darkroom.reservation, _reason text, _at timestamptz
) returns void language plpgsql as $$
begin
  insert into darkroom.ledger (at, event, job, attempt, reservation, class, workspace, user_id, node, worker, reason)
  values (_at, _event, _r.job, _r.attempt, _r.reservation, _r.class, _r.workspace, _r.user_id, _r.node, _r.worker,
          _reason);
end $$;
