-- The workflows of these grants have been told.
create or replace function darkroom.delivered(_reservations text[], _generations int[], _at timestamptz default null)
returns void language plpgsql as $$
declare
  now timestamptz := darkroom.enter(_at);
begin
  update darkroom.reservation r set delivered_at = now
  from unnest(_reservations, _generations) as told (reservation, generation)
  where r.reservation = told.reservation and r.generation = told.generation
    and r.state = 'granted' and r.delivered_at is null;
end $$;
