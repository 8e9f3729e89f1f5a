import type pg from 'pg';

/**
 * Everything that is kept as a counter or a set for speed, computed again from the rows that it stands for. Returns what
 * differs: nothing, at any committed moment.
 */
export async function findDrift(pool: pg.Pool): Promise<readonly unknown[]> {
  return (await pool.query<pg.QueryResultRow>(driftQuery)).rows;
}

const driftQuery = `
with live as (select * from darkroom.reservation where state <> 'ended'),
waiting as (select * from darkroom.request where state in ('deferred', 'ready')),
ready as (
  select q.workspace, q.user_id, q.class, bit_or(1::bigint << q.placement) as placements
  from darkroom.request q where q.state = 'ready' group by 1, 2, 3
),
open as (
  select r.workspace, r.class, bit_or(r.placements) as placements
  from ready r join darkroom.member m using (workspace, user_id) where not m.is_full group by 1, 2
),
expected (subject, name, kept, counted) as (
  select 'control', 'running', c.running, (select count(*) from live) from darkroom.control c
  union all
  select 'control', 'running_agents', c.running_agents, (select count(*) from live where agent) from darkroom.control c
  union all
  select 'control', 'waiting_interactive', c.waiting_interactive,
         (select count(*) from waiting where class = 'interactive') from darkroom.control c
  union all
  select 'control', 'waiting_background', c.waiting_background,
         (select count(*) from waiting where class = 'background') from darkroom.control c
  union all
  select 'workspace.running', w.workspace, w.running, (select count(*) from live where workspace = w.workspace)
  from darkroom.workspace w
  union all
  select 'workspace.waiting', w.workspace, w.waiting, (select count(*) from waiting where workspace = w.workspace)
  from darkroom.workspace w
  union all
  select 'workspace.is_full', w.workspace, w.is_full::int, (w.running >= s.limit_running_per_workspace)::int
  from darkroom.workspace w, darkroom.settings s
  union all
  select 'workspace.open_interactive', w.workspace, w.open_interactive,
         coalesce((select placements from open o where o.workspace = w.workspace and o.class = 'interactive'), 0)
  from darkroom.workspace w
  union all
  select 'workspace.open_background', w.workspace, w.open_background,
         coalesce((select placements from open o where o.workspace = w.workspace and o.class = 'background'), 0)
  from darkroom.workspace w
  union all
  select 'account.running', a.user_id, a.running, (select count(*) from live where user_id = a.user_id)
  from darkroom.account a
  union all
  select 'account.waiting', a.user_id, a.waiting, (select count(*) from waiting where user_id = a.user_id)
  from darkroom.account a
  union all
  select 'member.is_full', m.workspace || '/' || m.user_id, m.is_full::int, (a.running >= s.limit_running_per_user)::int
  from darkroom.member m join darkroom.account a using (user_id), darkroom.settings s
  union all
  select 'member.ready_interactive', m.workspace || '/' || m.user_id, m.ready_interactive,
         coalesce((select placements from ready r
                   where (r.workspace, r.user_id, r.class) = (m.workspace, m.user_id, 'interactive')), 0)
  from darkroom.member m
  union all
  select 'member.ready_background', m.workspace || '/' || m.user_id, m.ready_background,
         coalesce((select placements from ready r
                   where (r.workspace, r.user_id, r.class) = (m.workspace, m.user_id, 'background')), 0)
  from darkroom.member m
  union all
  select 'node.used', n.node, n.used, (select count(*) from live where node = n.node) from darkroom.node n
  union all
  select 'node.quarantined', n.node, n.quarantined,
         (select count(*) from live where node = n.node and state = 'quarantined') from darkroom.node n
  union all
  select 'worker.used', w.worker, w.used, (select count(*) from live where worker = w.worker) from darkroom.worker w
  union all
  select 'worker.quarantined', w.worker, w.quarantined,
         (select count(*) from live where worker = w.worker and state = 'quarantined') from darkroom.worker w
  union all
  select 'ledger', 'running', c.running,
         (select count(*) filter (where event = 'granted') - count(*) filter (where event in ('released', 'freed'))
          from darkroom.ledger) from darkroom.control c
)
select * from expected where kept is distinct from counted`;
