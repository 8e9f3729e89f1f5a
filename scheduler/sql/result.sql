create or replace function darkroom.result_of(_job text) returns json language sql stable as $$
  select darkroom.result_view(d) from darkroom.result d where d.job = _job
$$;
