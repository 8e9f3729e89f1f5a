-- At most 10,000 lines after a sequence number.
create or replace function darkroom.ledger_after(_seq bigint) returns setof darkroom.ledger language sql stable as $$
  select * from darkroom.ledger where seq > _seq order by seq limit 10000
$$;
