-- The process is known dead. Its sessions end by their leases or by the reaper; the row goes with the last of them.
create or replace function darkroom.remove_worker(_worker text, _at timestamptz default null)
returns void language plpgsql as $$
begin
  perform darkroom.enter(_at);
  update darkroom.worker set removed = true where worker = _worker;
end $$;
