-- Takes the one lock, then tells the time: a caller that waited for the lock must not act on the time before it waited.
create or replace function darkroom.enter(_at timestamptz) returns timestamptz language plpgsql as $$
begin
  perform 1 from darkroom.control for update;
  return coalesce(_at, clock_timestamp());
end $$;

create or replace function darkroom.ms(_span interval) returns bigint language sql immutable as $$
  select floor(extract(epoch from _span) * 1000)::bigint
$$;

create or replace function darkroom.span(_ms bigint) returns interval language sql immutable as $$
  select _ms * interval '1 millisecond'
$$;
