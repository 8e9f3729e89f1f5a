-- Health as the probes see it, a batch in one statement. Reports about nodes that are not in the list are ignored.
create or replace function darkroom.report_nodes(
  _nodes text[], _healths text[], _at timestamptz default null, out grants json
) language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
begin
  update darkroom.node n set health = report.health
  from unnest(_nodes, _healths) as report (node, health)
  where n.node = report.node and n.health <> report.health;
  grants := darkroom.grant_waiting(now);
end $$;
