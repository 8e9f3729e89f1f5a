-- The queue: who waits, in which order, and how much each workspace and user has running.
-- Ids are compared byte by byte (collate "C"): the order must not depend on the server's locale.

-- One row. Every operation that changes anything locks it first, so limits and turns are exact; it is a row lock, which
-- a transaction-mode pooler cannot strand, unlike a session advisory lock. It also carries the global counters, because
-- they change exactly when the lock is held anyway, and nothing else: it is rewritten several times an operation.
create table darkroom.control (
  singleton boolean primary key default true check (singleton),
  -- Position in the cycle interactive, interactive, interactive, background.
  cycle smallint not null default 0,
  -- Number of the latest grant. "Served least recently" compares these numbers, not times: no ties, no clock.
  turn bigint not null default 0,
  running integer not null default 0,
  running_agents integer not null default 0,
  waiting_interactive integer not null default 0,
  waiting_background integer not null default 0,
  -- One constraint, since each is prepared anew with every update.
  check (cycle between 0 and 3 and running_agents between 0 and running
         and waiting_interactive >= 0 and waiting_background >= 0)
) with (fillfactor = 10, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);
insert into darkroom.control default values;

-- What an operator sets, apart from the row that churns.
create table darkroom.settings (
  singleton boolean primary key default true check (singleton),
  paused boolean not null default false,
  limit_running integer not null check (limit_running >= 0),
  limit_running_per_worker integer not null check (limit_running_per_worker >= 0),
  limit_running_per_user integer not null check (limit_running_per_user >= 0),
  limit_running_per_workspace integer not null check (limit_running_per_workspace >= 0),
  limit_running_agents integer not null check (limit_running_agents >= 0),
  limit_waiting integer not null check (limit_waiting >= 0),
  limit_waiting_per_workspace integer not null check (limit_waiting_per_workspace >= 0),
  limit_waiting_per_user integer not null check (limit_waiting_per_user >= 0),
  lease_ms integer not null check (lease_ms > 0),
  connect_ms integer not null check (connect_ms > 0),
  worker_suspect_ms integer not null check (worker_suspect_ms > 0)
);

-- The defaults of `policy.ts`, so that a fresh database schedules before anybody has applied limits.
insert into darkroom.settings (
  limit_running, limit_running_per_worker, limit_running_per_user, limit_running_per_workspace, limit_running_agents,
  limit_waiting, limit_waiting_per_workspace, limit_waiting_per_user, lease_ms, connect_ms, worker_suspect_ms
) values (2, 2, 2, 2, 1, 128, 32, 16, 60000, 15000, 10000);

-- What decides where a request can run at all. Few and long-lived, so that a bigint holds a set of them, one bit each.
create table darkroom.placement (
  placement smallint primary key check (placement between 0 and 62),
  contract_version integer not null,
  agent boolean not null,
  unique (contract_version, agent)
);

-- One row a workspace, both classes in it: a grant touches it once. `open_*` is the set of placements for which a user
-- with room has a due request; a full workspace or one without such users is not in the index, so skipping it is free.
create table darkroom.workspace (
  workspace text collate "C" primary key,
  running integer not null default 0 check (running >= 0),
  waiting integer not null default 0 check (waiting >= 0),
  is_full boolean not null,
  open_interactive bigint not null default 0,
  open_background bigint not null default 0,
  -- Turn of the latest grant in the class; null until then.
  served_interactive bigint,
  served_background bigint,
  -- Oldest due request of a user with room, kept only while the workspace was never served in the class: then the
  -- oldest request goes first, and afterwards turns decide and the index is left alone.
  head_at_interactive timestamptz,
  head_seq_interactive bigint,
  head_at_background timestamptz,
  head_seq_background bigint
) with (fillfactor = 60, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

create index workspace_open_interactive on darkroom.workspace
  (served_interactive nulls first, head_at_interactive, head_seq_interactive)
  where open_interactive <> 0 and not is_full;
create index workspace_open_background on darkroom.workspace
  (served_background nulls first, head_at_background, head_seq_background)
  where open_background <> 0 and not is_full;

-- A user across all workspaces.
create table darkroom.account (
  user_id text collate "C" primary key,
  running integer not null default 0 check (running >= 0),
  waiting integer not null default 0 check (waiting >= 0)
) with (fillfactor = 60, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

-- A user's queue within a workspace. `ready_*` is the set of placements of its due requests; `is_full` repeats the
-- account's state here, since an index cannot look at another table.
create table darkroom.member (
  workspace text collate "C" not null references darkroom.workspace,
  user_id text collate "C" not null references darkroom.account,
  is_full boolean not null,
  ready_interactive bigint not null default 0,
  ready_background bigint not null default 0,
  served_interactive bigint,
  served_background bigint,
  head_at_interactive timestamptz,
  head_seq_interactive bigint,
  head_at_background timestamptz,
  head_seq_background bigint,
  primary key (workspace, user_id)
) with (fillfactor = 60, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

create index member_user on darkroom.member (user_id);
create index member_ready_interactive on darkroom.member
  (workspace, served_interactive nulls first, head_at_interactive, head_seq_interactive)
  where ready_interactive <> 0 and not is_full;
create index member_ready_background on darkroom.member
  (workspace, served_background nulls first, head_at_background, head_seq_background)
  where ready_background <> 0 and not is_full;

-- What stays the same over all attempts and runs of a job: identity, class and place in line.
create table darkroom.job (
  job text collate "C" primary key,
  kind text not null,
  class text not null check (class in ('interactive', 'background')),
  workspace text collate "C" not null references darkroom.workspace,
  user_id text collate "C" not null references darkroom.account,
  input_digest text not null,
  submitted_at timestamptz not null,
  -- Breaks ties of `submitted_at`: a total order, also for jobs of one transaction or one millisecond.
  seq bigint generated always as identity unique,
  -- The ticket that speaks for the job now; tickets before it are closed.
  run_id text not null,
  attempt integer not null check (attempt >= 1),
  -- Grows with every grant: the fence.
  generation integer not null default 0 check (generation >= 0)
) with (fillfactor = 80);

-- The job's current ticket while it waits, holds capacity, or may still come back. A job has one: older tickets are
-- tombstones. Narrow, because it churns.
create table darkroom.request (
  job text collate "C" primary key references darkroom.job on delete cascade,
  run_id text not null,
  attempt integer not null check (attempt >= 1),
  class text not null check (class in ('interactive', 'background')),
  workspace text collate "C" not null,
  user_id text collate "C" not null,
  placement smallint not null references darkroom.placement,
  submitted_at timestamptz not null,
  seq bigint not null,
  requested_at timestamptz not null,
  queue_ms integer not null check (queue_ms >= 0),
  -- Null: it has not begun, since the job's own earlier session is still quarantined.
  deadline timestamptz,
  -- deferred → ready → held → ended, and back to deferred or ready by `requeue`.
  state text not null check (state in ('deferred', 'ready', 'held', 'ended')),
  not_before timestamptz,
  refusals integer not null default 0 check (refusals >= 0),
  -- The latest grant of this ticket.
  reservation text collate "C",
  check ((state = 'deferred') = (not_before is not null)),
  check (state in ('deferred', 'ready') or reservation is not null)
) with (fillfactor = 60, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

-- First in, first out within user, class and placement.
create index request_ready on darkroom.request (workspace, user_id, class, placement, submitted_at, seq)
  where state = 'ready';
create index request_deferred on darkroom.request (not_before) where state = 'deferred';
create index request_deadline on darkroom.request (deadline) where state in ('deferred', 'ready');
create index request_line on darkroom.request (class, submitted_at, seq) where state in ('deferred', 'ready');

-- Tickets that must not wait or be granted any more, also those whose request has not arrived yet.
create table darkroom.tombstone (
  job text collate "C" not null,
  run_id text not null,
  attempt integer not null check (attempt >= 1),
  buried_at timestamptz not null,
  primary key (job, run_id, attempt)
);
