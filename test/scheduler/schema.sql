table account (fillfactor=60, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  user_id text collate "C" not null
  running integer not null default 0
  waiting integer not null default 0
  CHECK ((running >= 0))
  CHECK ((waiting >= 0))
  PRIMARY KEY (user_id)
table control (fillfactor=10, autovacuum_vacuum_threshold=200, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  singleton boolean not null default true
  cycle smallint not null default 0
  turn bigint not null default 0
  running integer not null default 0
  running_agents integer not null default 0
  waiting_interactive integer not null default 0
  waiting_background integer not null default 0
  CHECK ((((cycle >= 0) AND (cycle <= 3)) AND ((running_agents >= 0) AND (running_agents <= running)) AND (waiting_interactive >= 0) AND (waiting_background >= 0)))
  CHECK (singleton)
  PRIMARY KEY (singleton)
table job (fillfactor=80)
  job text collate "C" not null
  kind text not null
  class text not null
  workspace text collate "C" not null
  user_id text collate "C" not null
  input_digest text not null
  submitted_at timestamp with time zone not null
  seq bigint not null identity
  run_id text not null
  attempt integer not null
  generation integer not null default 0
  artifact_id text
  artifact_version text
  CHECK (((artifact_id IS NULL) = (artifact_version IS NULL)))
  CHECK ((attempt >= 1))
  CHECK ((class = ANY (ARRAY['interactive'::text, 'background'::text])))
  CHECK ((generation >= 0))
  FOREIGN KEY (user_id) REFERENCES account(user_id)
  FOREIGN KEY (workspace) REFERENCES workspace(workspace)
  PRIMARY KEY (job)
  UNIQUE (seq)
  CREATE INDEX job_submitted ON darkroom.job USING btree (submitted_at)
table ledger (autovacuum_vacuum_insert_threshold=100000, autovacuum_vacuum_insert_scale_factor=0)
  seq bigint not null identity
  at timestamp with time zone not null
  event text not null
  job text collate "C" not null
  attempt integer not null
  reservation text collate "C"
  class text not null
  workspace text collate "C" not null
  user_id text collate "C" not null
  node text collate "C"
  worker text collate "C"
  reason text
  CHECK ((event = ANY (ARRAY['requested'::text, 'granted'::text, 'activated'::text, 'requeued'::text, 'quarantined'::text, 'released'::text, 'freed'::text, 'withdrawn'::text, 'expired'::text, 'committed'::text, 'consumed'::text, 'cleared'::text])))
  PRIMARY KEY (seq)
  CREATE TRIGGER ledger_is_append_only BEFORE DELETE OR UPDATE ON darkroom.ledger FOR EACH ROW EXECUTE FUNCTION refuse_change()
table member (fillfactor=60, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  workspace text collate "C" not null
  user_id text collate "C" not null
  is_full boolean not null
  ready_interactive bigint not null default 0
  ready_background bigint not null default 0
  served_interactive bigint
  served_background bigint
  head_at_interactive timestamp with time zone
  head_seq_interactive bigint
  head_at_background timestamp with time zone
  head_seq_background bigint
  FOREIGN KEY (user_id) REFERENCES account(user_id)
  FOREIGN KEY (workspace) REFERENCES workspace(workspace)
  PRIMARY KEY (workspace, user_id)
  CREATE INDEX member_ready_background ON darkroom.member USING btree (workspace, served_background NULLS FIRST, head_at_background, head_seq_background) WHERE ((ready_background <> 0) AND (NOT is_full))
  CREATE INDEX member_ready_interactive ON darkroom.member USING btree (workspace, served_interactive NULLS FIRST, head_at_interactive, head_seq_interactive) WHERE ((ready_interactive <> 0) AND (NOT is_full))
  CREATE INDEX member_user ON darkroom.member USING btree (user_id)
table migration
  name text not null
  sha256 text not null
  applied_at timestamp with time zone not null default now()
  PRIMARY KEY (name)
table node (fillfactor=50, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  node text collate "C" not null
  max_sessions integer not null
  enabled boolean not null
  zone text
  session_limit_ms integer not null
  hash text not null
  health text not null default 'healthy'::text
  draining boolean not null default false
  cooling_until timestamp with time zone
  used integer not null default 0
  quarantined integer not null default 0
  last_used bigint not null default 0
  CHECK (((quarantined >= 0) AND (quarantined <= used)))
  CHECK ((health = ANY (ARRAY['healthy'::text, 'suspect'::text, 'down'::text])))
  CHECK ((max_sessions >= 0))
  CHECK ((session_limit_ms > 0))
  CHECK ((used >= 0))
  PRIMARY KEY (node)
table placement
  placement smallint not null
  contract_version integer not null
  agent boolean not null
  CHECK (((placement >= 0) AND (placement <= 62)))
  PRIMARY KEY (placement)
  UNIQUE (contract_version, agent)
table request (fillfactor=60, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  job text collate "C" not null
  run_id text not null
  attempt integer not null
  class text not null
  workspace text collate "C" not null
  user_id text collate "C" not null
  placement smallint not null
  submitted_at timestamp with time zone not null
  seq bigint not null
  requested_at timestamp with time zone not null
  queue_ms integer not null
  deadline timestamp with time zone
  state text not null
  not_before timestamp with time zone
  refusals integer not null default 0
  reservation text collate "C"
  CHECK (((state = 'deferred'::text) = (not_before IS NOT NULL)))
  CHECK (((state = ANY (ARRAY['deferred'::text, 'ready'::text])) OR (reservation IS NOT NULL)))
  CHECK ((attempt >= 1))
  CHECK ((class = ANY (ARRAY['interactive'::text, 'background'::text])))
  CHECK ((queue_ms >= 0))
  CHECK ((refusals >= 0))
  CHECK ((state = ANY (ARRAY['deferred'::text, 'ready'::text, 'held'::text, 'ended'::text])))
  FOREIGN KEY (job) REFERENCES job(job) ON DELETE CASCADE
  FOREIGN KEY (placement) REFERENCES placement(placement)
  PRIMARY KEY (job)
  CREATE INDEX request_deadline ON darkroom.request USING btree (deadline) WHERE (state = ANY (ARRAY['deferred'::text, 'ready'::text]))
  CREATE INDEX request_deferred ON darkroom.request USING btree (not_before) WHERE (state = 'deferred'::text)
  CREATE INDEX request_line ON darkroom.request USING btree (class, submitted_at, seq) WHERE (state = ANY (ARRAY['deferred'::text, 'ready'::text]))
  CREATE INDEX request_ready ON darkroom.request USING btree (workspace, user_id, class, placement, submitted_at, seq) WHERE (state = 'ready'::text)
table reservation (fillfactor=60, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  reservation text collate "C" not null
  job text collate "C" not null
  run_id text not null
  attempt integer not null
  generation integer not null
  kind text not null
  class text not null
  workspace text collate "C" not null
  user_id text collate "C" not null
  agent boolean not null
  node text collate "C" not null
  worker text collate "C" not null
  state text not null
  turn bigint not null
  granted_at timestamp with time zone not null
  waited_ms bigint not null
  refusals integer not null
  session_limit_ms integer not null
  lease_expires timestamp with time zone not null
  hard_expires timestamp with time zone not null
  delivered_at timestamp with time zone
  nonce text
  activated_at timestamp with time zone
  quarantined_at timestamp with time zone
  reason text
  ended_at timestamp with time zone
  CHECK (((nonce IS NULL) = (activated_at IS NULL)))
  CHECK (((reason IS NULL) = (quarantined_at IS NULL)))
  CHECK (((state <> 'active'::text) OR (nonce IS NOT NULL)))
  CHECK (((state <> 'quarantined'::text) OR (reason IS NOT NULL)))
  CHECK (((state = 'ended'::text) = (ended_at IS NOT NULL)))
  CHECK ((attempt >= 1))
  CHECK ((class = ANY (ARRAY['interactive'::text, 'background'::text])))
  CHECK ((generation >= 1))
  CHECK ((reason = ANY (ARRAY['worker_lost'::text, 'close_unconfirmed'::text, 'connection_lost'::text, 'lease_expired'::text, 'superseded'::text, 'shutdown'::text, 'workflow_closed'::text])))
  CHECK ((refusals >= 0))
  CHECK ((reservation ~ '^[a-z0-9]{26}$'::text))
  CHECK ((session_limit_ms > 0))
  CHECK ((state = ANY (ARRAY['granted'::text, 'active'::text, 'quarantined'::text, 'ended'::text])))
  CHECK ((waited_ms >= 0))
  PRIMARY KEY (reservation)
  UNIQUE (job, generation)
  CREATE INDEX reservation_ended ON darkroom.reservation USING btree (ended_at) WHERE (state = 'ended'::text)
  CREATE INDEX reservation_hard ON darkroom.reservation USING btree (hard_expires) WHERE (state <> 'ended'::text)
  CREATE INDEX reservation_lease ON darkroom.reservation USING btree (lease_expires) WHERE (state = ANY (ARRAY['granted'::text, 'active'::text]))
  CREATE UNIQUE INDEX reservation_of_job ON darkroom.reservation USING btree (job) WHERE (state = ANY (ARRAY['granted'::text, 'active'::text]))
  CREATE INDEX reservation_quarantined ON darkroom.reservation USING btree (job) WHERE (state = 'quarantined'::text)
  CREATE INDEX reservation_undelivered ON darkroom.reservation USING btree (granted_at) WHERE ((state = 'granted'::text) AND (delivered_at IS NULL))
table result
  job text collate "C" not null
  attempt integer not null
  kind text not null
  reservation text collate "C" not null
  generation integer not null
  worker text collate "C" not null
  result json
  committed_at timestamp with time zone not null
  consumed_by text
  consumed_at timestamp with time zone
  folder text collate "C" default encode(sha256(decode(replace(job, '\'::text, '\\'::text), 'escape'::text)), 'hex'::text)
  expires_at timestamp with time zone not null
  cleared_at timestamp with time zone
  summary jsonb
  CHECK ((((cleared_at IS NULL) = (result IS NOT NULL)) AND ((cleared_at IS NULL) = (summary IS NULL))))
  CHECK (((consumed_by IS NULL) = (consumed_at IS NULL)))
  CHECK (((json_typeof(result) = 'object'::text) AND (octet_length((result)::text) <= 16384)))
  CHECK ((attempt >= 1))
  CHECK ((generation >= 1))
  PRIMARY KEY (job)
  CREATE INDEX result_expires ON darkroom.result USING btree (expires_at) WHERE (cleared_at IS NULL)
  CREATE INDEX result_folder ON darkroom.result USING btree (folder) WHERE (cleared_at IS NULL)
table settings
  singleton boolean not null default true
  paused boolean not null default false
  limit_running integer not null
  limit_running_per_worker integer not null
  limit_running_per_user integer not null
  limit_running_per_workspace integer not null
  limit_running_agents integer not null
  limit_waiting integer not null
  limit_waiting_per_workspace integer not null
  limit_waiting_per_user integer not null
  lease_ms integer not null
  connect_ms integer not null
  worker_suspect_ms integer not null
  result_ms bigint not null default 86400000
  consumed_ms bigint not null default 3600000
  summary_ms bigint not null default '2592000000'::bigint
  ledger_ms bigint not null default '7776000000'::bigint
  CHECK ((connect_ms > 0))
  CHECK ((consumed_ms >= 0))
  CHECK ((lease_ms > 0))
  CHECK ((ledger_ms >= summary_ms))
  CHECK ((limit_running >= 0))
  CHECK ((limit_running_agents >= 0))
  CHECK ((limit_running_per_user >= 0))
  CHECK ((limit_running_per_worker >= 0))
  CHECK ((limit_running_per_workspace >= 0))
  CHECK ((limit_waiting >= 0))
  CHECK ((limit_waiting_per_user >= 0))
  CHECK ((limit_waiting_per_workspace >= 0))
  CHECK ((result_ms > 0))
  CHECK ((summary_ms >= result_ms))
  CHECK ((worker_suspect_ms > 0))
  CHECK (singleton)
  PRIMARY KEY (singleton)
table tombstone
  job text collate "C" not null
  run_id text not null
  attempt integer not null
  buried_at timestamp with time zone not null
  CHECK ((attempt >= 1))
  PRIMARY KEY (job, run_id, attempt)
  CREATE INDEX tombstone_buried ON darkroom.tombstone USING btree (buried_at)
table worker (fillfactor=50, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  worker text collate "C" not null
  slots integer not null
  build text not null
  contract_versions integer[] not null
  zone text
  node_hashes jsonb not null
  heartbeat_at timestamp with time zone not null
  draining boolean not null default false
  removed boolean not null default false
  used integer not null default 0
  quarantined integer not null default 0
  last_used bigint not null default 0
  CHECK (((quarantined >= 0) AND (quarantined <= used)))
  CHECK ((jsonb_typeof(node_hashes) = 'object'::text))
  CHECK ((slots >= 0))
  CHECK ((used >= 0))
  PRIMARY KEY (worker)
table workspace (fillfactor=60, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0)
  workspace text collate "C" not null
  running integer not null default 0
  waiting integer not null default 0
  is_full boolean not null
  open_interactive bigint not null default 0
  open_background bigint not null default 0
  served_interactive bigint
  served_background bigint
  head_at_interactive timestamp with time zone
  head_seq_interactive bigint
  head_at_background timestamp with time zone
  head_seq_background bigint
  CHECK ((running >= 0))
  CHECK ((waiting >= 0))
  PRIMARY KEY (workspace)
  CREATE INDEX workspace_open_background ON darkroom.workspace USING btree (served_background NULLS FIRST, head_at_background, head_seq_background) WHERE ((open_background <> 0) AND (NOT is_full))
  CREATE INDEX workspace_open_interactive ON darkroom.workspace USING btree (served_interactive NULLS FIRST, head_at_interactive, head_seq_interactive) WHERE ((open_interactive <> 0) AND (NOT is_full))
function activate(_reservation text, _generation integer, _nonce text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT session_ms bigint) returns bigint
function admit(_workspace text, _user_id text, _placement smallint, _at timestamp with time zone, OUT refusal text, OUT granted text[]) returns record
function admit_due(_at timestamp with time zone) returns void
function apply_limits(_limits json, _leases json, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT grants json) returns json
function apply_nodes(_nodes json, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT grants json) returns json
function apply_retention(_retention json) returns void
function begin_deadline(_job text, _at timestamp with time zone) returns void
function bury(_job text, _run_id text, _attempt integer, _at timestamp with time zone) returns void
function choose_pair(_contract_version integer, _at timestamp with time zone, OUT node text, OUT worker text) returns record
function clear_results(_jobs text[], _summaries jsonb[], _reason text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT cleared bigint) returns bigint
function close_request(_q request, _event text, _reason text, _at timestamp with time zone) returns void
function commit(_job text, _attempt integer, _reservation text, _generation integer, _worker text, _result json, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT state text, OUT result json) returns record
function confirm_gone(_reservation text, _barred boolean, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT freed boolean, OUT lost json, OUT grants json) returns record
function consume(_job text, _by text, _artifact_id text, _artifact_version text, _input_digest text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT answer json) returns json
function count_running(_workspace text, _user_id text, _agent boolean, _by integer) returns void
function count_waiting(_workspace text, _user_id text, _class text, _by integer) returns void
function delivered(_reservations text[], _generations integer[], _at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns void
function done_answer(_d result, _at timestamp with time zone) returns json
function drain_worker(_worker text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT used integer) returns integer
function end_lease(_r reservation, _reason text, _at timestamp with time zone) returns void
function end_reservation(_r reservation, _event text, _reason text, _at timestamp with time zone) returns void
function enqueue(_job text, _not_before timestamp with time zone, _at timestamp with time zone) returns void
function enter(_at timestamp with time zone) returns timestamp with time zone
function expired_results(_most integer, _at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json
function forget(_most integer, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT forgotten json) returns json
function free(_reservation text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT freed boolean, OUT grants json) returns record
function full_queue(_workspace text, _user_id text) returns text
function give_up(_r reservation, _reason text, _at timestamp with time zone) returns void
function grant_capacity(_job text, _at timestamp with time zone) returns text
function grant_view(_r reservation) returns json
function grant_views(_reservations text[]) returns json
function grant_waiting(_at timestamp with time zone) returns json
function has_room(_workspace text, _user_id text, _placement smallint, _at timestamp with time zone) returns boolean
function is_expired(_d result, _at timestamp with time zone) returns boolean
function is_in_use(_j job, _s settings, _at timestamp with time zone) returns boolean
function is_lost(_held reservation) returns boolean
function know(_workspace text, _user_id text) returns void
function ledger_after(_seq bigint) returns SETOF ledger
function may_return(_r reservation) returns boolean
function ms(_span interval) returns bigint
function new_reservation_id() returns text
function next_class(_interactive boolean, _background boolean) returns text
function next_job(_usable bigint) returns text
function next_user(_workspace text, _class text, _usable bigint) returns text
function next_workspace(_class text, _usable bigint) returns text
function open_tickets(_older_ms bigint, _most integer, _at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json
function pause(_paused boolean, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT grants json) returns json
function place(_contract_version integer, _agent boolean) returns smallint
function put_back(_r reservation, _reason text, _due timestamp with time zone, _at timestamp with time zone) returns void
function quarantine(_reservation text, _generation integer, _reason text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT quarantined boolean, OUT grants json) returns record
function quarantine_reservation(_r reservation, _reason text, _at timestamp with time zone) returns void
function quarantined_view(_r reservation, _at timestamp with time zone) returns json
function queue_position(_q request) returns bigint
function record_job(_event text, _j job, _attempt integer, _reason text, _at timestamp with time zone) returns void
function record_reservation(_event text, _r reservation, _reason text, _at timestamp with time zone) returns void
function record_ticket(_event text, _q request, _reason text, _at timestamp with time zone) returns void
function ref_view(_r reservation) returns json
function refresh_line(_workspace text, _user_id text, _class text) returns void
function refresh_member(_workspace text, _user_id text, _class text) returns void
function refresh_workspace(_workspace text, _class text) returns void
function refuse_change() returns trigger
function register_worker(_worker text, _slots integer, _build text, _contract_versions integer[], _zone text, _node_hashes jsonb, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT grants json) returns json
function release(_reservation text, _generation integer, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT released boolean, OUT grants json) returns record
function remove_worker(_worker text, _at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns void
function renew(_worker text, _reservations text[], _generations integer[], _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT registered boolean, OUT lost json, OUT grants json) returns record
function report_nodes(_nodes text[], _healths text[], _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT grants json) returns json
function request(_job text, _run_id text, _attempt integer, _kind text, _class text, _workspace text, _user_id text, _contract_version integer, _input_digest text, _artifact_id text, _artifact_version text, _queue_ms integer, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT answer json, OUT grants json) returns record
function requeue(_reservation text, _generation integer, _reason text, _delay_ms integer, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT requeued boolean, OUT answer json, OUT grants json) returns record
function result_of(_job text) returns json
function result_view(_s result) returns json
function run_pass(_at timestamp with time zone) returns text[]
function settled_answer(_job text, _run_id text, _attempt integer, _at timestamp with time zone) returns json
function snapshot(_at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json
function span(_ms bigint) returns interval
function stored_results(_after text, _until text, _before timestamp with time zone, _at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json
function stored_view(_d result) returns json
function supersede(_q request, _at timestamp with time zone) returns void
function suspend_deadline(_job text) returns void
function sweep(_at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT freed json, OUT lost json, OUT expired_requests json, OUT grants json, OUT undelivered json, OUT quarantined json) returns record
function sweep_fleet(_at timestamp with time zone) returns void
function sweep_requests(_at timestamp with time zone) returns json
function sweep_reservations(_at timestamp with time zone) returns json
function take_turn(_workspace text, _user_id text, _class text, _turn bigint) returns void
function ticket_answer(_job text, _run_id text, _attempt integer, _at timestamp with time zone) returns json
function uploads(_reservations text[], _at timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json
function usable_placements(_at timestamp with time zone) returns bigint
function withdraw(_job text, _run_id text, _attempt integer, _keep_grant boolean, _at timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT answer json, OUT grants json) returns record
function worker_state(_w worker, _s settings, _at timestamp with time zone) returns text
