-- What outlives a reservation: one result a job, and the ledger.

create table darkroom.result (
  -- The primary key is the rule: a job has one result.
  job text collate "C" primary key,
  attempt integer not null check (attempt >= 1),
  kind text not null,
  reservation text collate "C" not null,
  generation integer not null check (generation >= 1),
  worker text collate "C" not null,
  -- `json`, not `jsonb`: text of pages may hold \u0000, which jsonb refuses, and the caller gets it as it was written.
  result json not null check (json_typeof(result) = 'object' and octet_length(result::text) <= 16384),
  committed_at timestamptz not null
);

-- Append only, written in the transaction of the change that it tells. Usage at any moment of any limit:
-- count of `granted` minus count of `released` and `freed`.
create table darkroom.ledger (
  seq bigint generated always as identity primary key,
  at timestamptz not null,
  event text not null check (
    event in ('requested', 'granted', 'activated', 'requeued', 'quarantined', 'released', 'freed', 'withdrawn',
              'expired', 'committed')
  ),
  job text collate "C" not null,
  attempt integer not null,
  reservation text collate "C",
  class text not null,
  workspace text collate "C" not null,
  user_id text collate "C" not null,
  node text collate "C",
  worker text collate "C",
  reason text
) with (autovacuum_vacuum_insert_threshold = 100000, autovacuum_vacuum_insert_scale_factor = 0);

create function darkroom.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append only' using errcode = 'restrict_violation';
end $$;

create trigger ledger_is_append_only before update or delete on darkroom.ledger
  for each row execute function darkroom.refuse_change();
