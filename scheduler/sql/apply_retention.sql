-- How long things are kept; a result that is there already keeps the time that it was given.
create or replace function darkroom.apply_retention(_retention json) returns void language sql as $$
  update darkroom.settings set
    result_ms = (_retention ->> 'resultMs')::bigint,
    consumed_ms = (_retention ->> 'consumedMs')::bigint,
    summary_ms = (_retention ->> 'summaryMs')::bigint,
    ledger_ms = (_retention ->> 'ledgerMs')::bigint
$$;
