-- Results that name objects in the folders after `_after`, up to `_until` (null: to the end), were there before `_before`,
-- and are not over yet: whoever listed the bucket between `_before` and now must have seen their objects.
create or replace function darkroom.stored_results(
  _after text, _until text, _before timestamptz, _at timestamptz default null
) returns json language sql stable as $$
  select coalesce(json_agg(darkroom.stored_view(d) order by d.folder), '[]') from darkroom.result d
  where cleared_at is null and expires_at > coalesce(_at, clock_timestamp())
    and folder > _after and (_until is null or folder <= _until) and committed_at < _before
$$;
