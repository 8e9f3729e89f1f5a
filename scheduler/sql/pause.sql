-- Stops or starts grants; what runs goes on.
create or replace function darkroom.pause(_paused boolean, _at timestamptz default null, out grants json)
language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
begin
  update darkroom.settings set paused = _paused;
  grants := darkroom.grant_waiting(now);
end $$;
