-- No new grants; `used` is what it still holds.
create or replace function darkroom.drain_worker(_worker text, _at timestamptz default null, out used int)
language plpgsql as $$
begin
  perform darkroom.enter(_at);
  update darkroom.worker w set draining = true where w.worker = _worker returning w.used into used;
  used := coalesce(used, 0);
end $$;
