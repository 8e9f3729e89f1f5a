-- Consumption: what a job was asked for, who took its result over, and the line that tells it.

-- As the job was asked for; both null when its target is no artifact. A result is handed over only to who expects these.
alter table darkroom.job
  add column artifact_id text,
  add column artifact_version text,
  add constraint job_artifact_is_whole check ((artifact_id is null) = (artifact_version is null));

-- The first who consumed it, by the caller's own key, and when. Set once.
alter table darkroom.result
  add column consumed_by text,
  add column consumed_at timestamptz,
  add constraint result_consumption_is_whole check ((consumed_by is null) = (consumed_at is null));

alter table darkroom.ledger
  drop constraint ledger_event_check,
  add constraint ledger_event_check check (
    event in ('requested', 'granted', 'activated', 'requeued', 'quarantined', 'released', 'freed', 'withdrawn',
              'expired', 'committed', 'consumed')
  );
