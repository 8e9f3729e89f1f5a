import type pg from 'pg';

/** The schema as the server itself describes it, in a fixed order: what the migrations and function files add up to. */
export async function dumpSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ line: string }>(dumpQuery);
  return `${rows.map((row) => row.line).join('\n')}\n`;
}

const dumpQuery = `
with relation as (
  select c.oid, c.relname, c.reloptions from pg_class c
  where c.relnamespace = 'darkroom'::regnamespace and c.relkind = 'r'
),
line (part, subject, rank, line) as (
  select 1, relname, 0, format('table %s%s', relname, ' (' || array_to_string(reloptions, ', ') || ')') from relation
  union all
  select 1, relname, attnum, format('  %s %s%s%s%s', attname, format_type(atttypid, atttypmod),
    case when collname <> 'default' then ' collate ' || quote_ident(collname) else '' end,
    case when attnotnull then ' not null' else '' end,
    case when attidentity <> '' then ' identity' else coalesce(' default ' || pg_get_expr(adbin, adrelid), '') end)
  from pg_attribute join relation on attrelid = relation.oid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  left join pg_collation on pg_collation.oid = attcollation
  where attnum > 0 and not attisdropped
  union all
  select 1, relname, 10000 + row_number() over (partition by relname order by contype, pg_get_constraintdef(con.oid)),
    '  ' || pg_get_constraintdef(con.oid)
  from pg_constraint con join relation on conrelid = relation.oid where contype <> 'n'
  union all
  select 1, relname, 20000 + row_number() over (partition by relname order by indexrelid::regclass::text),
    '  ' || pg_get_indexdef(indexrelid)
  from pg_index join relation on indrelid = relation.oid
  where not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
  union all
  select 1, relname, 30000, '  ' || pg_get_triggerdef(t.oid)
  from pg_trigger t join relation on tgrelid = relation.oid where not tgisinternal
  union all
  select 2, proname, 0, format('function %s(%s) returns %s', proname, pg_get_function_arguments(oid),
    pg_get_function_result(oid))
  from pg_proc where pronamespace = 'darkroom'::regnamespace
)
select line from line order by part, subject, rank`;
