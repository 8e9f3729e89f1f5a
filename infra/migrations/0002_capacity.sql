-- Capacity: nodes and workers with their slots, and who holds them.

create table darkroom.node (
  node text collate "C" primary key,
  max_sessions integer not null check (max_sessions >= 0),
  enabled boolean not null,
  zone text,
  session_limit_ms integer not null check (session_limit_ms > 0),
  hash text not null,
  health text not null default 'healthy' check (health in ('healthy', 'suspect', 'down')),
  -- No longer in the configuration; the row goes when its last session has ended.
  draining boolean not null default false,
  -- Nothing is granted before this: the node refused a session for capacity.
  cooling_until timestamptz,
  used integer not null default 0 check (used >= 0),
  quarantined integer not null default 0 check (quarantined between 0 and used),
  -- Turn of its latest grant. Neither this nor the free ratio is indexed: such an index would make every grant a
  -- non-HOT update, which was the main cause of drift in the prototype.
  last_used bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

create table darkroom.worker (
  worker text collate "C" primary key,
  slots integer not null check (slots >= 0),
  build text not null,
  contract_versions integer[] not null,
  zone text,
  -- Node name → hash of the entry that the worker has loaded.
  node_hashes jsonb not null check (jsonb_typeof(node_hashes) = 'object'),
  heartbeat_at timestamptz not null,
  draining boolean not null default false,
  -- Known dead. Suspect and silent workers are told by the age of `heartbeat_at` and never stored.
  removed boolean not null default false,
  used integer not null default 0 check (used >= 0),
  quarantined integer not null default 0 check (quarantined between 0 and used),
  last_used bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

-- Self-contained on purpose, without foreign keys: whatever becomes of job, node or worker, the row alone says whose
-- counters it holds, and the sweep can free it.
create table darkroom.reservation (
  reservation text collate "C" primary key check (reservation ~ '^[a-z0-9]{26}$'),
  job text collate "C" not null,
  run_id text not null,
  attempt integer not null check (attempt >= 1),
  generation integer not null check (generation >= 1),
  kind text not null,
  class text not null check (class in ('interactive', 'background')),
  workspace text collate "C" not null,
  user_id text collate "C" not null,
  agent boolean not null,
  node text collate "C" not null,
  worker text collate "C" not null,
  -- granted → active → quarantined → ended, each also directly to ended.
  state text not null check (state in ('granted', 'active', 'quarantined', 'ended')),
  turn bigint not null,
  granted_at timestamptz not null,
  waited_ms bigint not null check (waited_ms >= 0),
  refusals integer not null check (refusals >= 0),
  -- As the node's entry said at the grant: a later entry does not change a running session.
  session_limit_ms integer not null check (session_limit_ms > 0),
  lease_expires timestamptz not null,
  hard_expires timestamptz not null,
  delivered_at timestamptz,
  nonce text,
  activated_at timestamptz,
  quarantined_at timestamptz,
  reason text check (
    reason in ('worker_lost', 'close_unconfirmed', 'connection_lost', 'lease_expired', 'superseded', 'shutdown')
  ),
  ended_at timestamptz,
  unique (job, generation),
  check (state <> 'active' or nonce is not null),
  check ((nonce is null) = (activated_at is null)),
  check ((reason is null) = (quarantined_at is null)),
  check (state <> 'quarantined' or reason is not null),
  check ((state = 'ended') = (ended_at is not null))
) with (fillfactor = 60, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0);

-- A job holds at most one reservation that it may work with.
create unique index reservation_of_job on darkroom.reservation (job) where state in ('granted', 'active');
create index reservation_quarantined on darkroom.reservation (job) where state = 'quarantined';
create index reservation_lease on darkroom.reservation (lease_expires) where state in ('granted', 'active');
create index reservation_hard on darkroom.reservation (hard_expires) where state <> 'ended';
create index reservation_undelivered on darkroom.reservation (granted_at)
  where state = 'granted' and delivered_at is null;
create index reservation_ended on darkroom.reservation (ended_at) where state = 'ended';
