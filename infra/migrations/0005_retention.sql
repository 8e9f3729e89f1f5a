-- Retention: how long results, summaries and the ledger are kept, and what is left when a result is gone. And a reason for
-- sessions whose workflow was closed without ending them.

alter table darkroom.settings
  add column result_ms bigint not null default 86400000 check (result_ms > 0),
  add column consumed_ms bigint not null default 3600000 check (consumed_ms >= 0),
  add column summary_ms bigint not null default 2592000000 check (summary_ms >= result_ms),
  add column ledger_ms bigint not null default 7776000000 check (ledger_ms >= summary_ms);

-- `folder` is where the bucket has a job's objects: the hex SHA-256 of its id, as `objectKey` names it; `decode` only turns
-- text into bytes. Cleared: its objects are deleted and its text is gone; the summary stays until the job is forgotten.
alter table darkroom.result
  add column folder text collate "C"
    generated always as (encode(sha256(decode(replace(job, '\', '\\'), 'escape')), 'hex')) stored,
  add column expires_at timestamptz,
  add column cleared_at timestamptz,
  add column summary jsonb,
  alter column result drop not null;
update darkroom.result set expires_at = committed_at + interval '24 hours';
alter table darkroom.result
  alter column expires_at set not null,
  add constraint result_cleared_is_whole
    check ((cleared_at is null) = (result is not null) and (cleared_at is null) = (summary is null));

create index result_expires on darkroom.result (expires_at) where cleared_at is null;
create index result_folder on darkroom.result (folder) where cleared_at is null;
-- What forgets looks for the oldest first.
create index job_submitted on darkroom.job (submitted_at);
create index tombstone_buried on darkroom.tombstone (buried_at);

alter table darkroom.ledger
  drop constraint ledger_event_check,
  add constraint ledger_event_check check (
    event in ('requested', 'granted', 'activated', 'requeued', 'quarantined', 'released', 'freed', 'withdrawn',
              'expired', 'committed', 'consumed', 'cleared')
  );

-- Lines are never changed, and go only when they are older than the ledger is kept.
create or replace function darkroom.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < (select clock_timestamp() - s.ledger_ms * interval '1 millisecond'
                                    from darkroom.settings s) then
    return old;
  end if;
  raise exception 'the ledger is append only' using errcode = 'restrict_violation';
end $$;

alter table darkroom.reservation
  drop constraint reservation_reason_check,
  add constraint reservation_reason_check check (
    reason in ('worker_lost', 'close_unconfirmed', 'connection_lost', 'lease_expired', 'superseded', 'shutdown',
               'workflow_closed')
  );
