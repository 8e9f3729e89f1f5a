import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { submitSimple, traceOf, untilIdle } from '../support/jobs.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ sessions: 1 });
});
afterEach(() => untilIdle(world));
afterAll(async () => {
  await world.close();
});

test('H8: a result whose row is refused after its upload: the second attempt stores its own, and only that has a row', async () => {
  await world.pool.query(`
    create sequence refused;
    create function refuse_first() returns trigger language plpgsql as $$
    begin
      if nextval('refused') = 1 then raise exception 'refused'; end if;
      return new;
    end $$;
    create trigger refuse before insert on darkroom.result for each row execute function refuse_first()`);
  const job = await submitSimple(world);
  const { reservations, ...trace } = await traceOf(world, job);
  expect(trace).toEqual({ status: 'succeeded', attempts: 2, objects: 2 });
  const committed = reservations.map(({ events }) => events.filter((event) => event === 'committed').length);
  expect(committed).toEqual([0, 1]);
  const { rows } = await world.pool.query('select from darkroom.result where job = $1', [job.id]);
  expect(rows).toHaveLength(1);
  await world.pool.query('drop trigger refuse on darkroom.result');
});

test('Q12: a release that fails now and then is repeated: all that was held is given back, and nothing is counted wrong', async () => {
  // A sequence counts also what is rolled back: every third release fails.
  await world.pool.query(`
    create sequence releases;
    alter function darkroom.release rename to release_unharmed;
    create function darkroom.release(
      _reservation text, _generation int, _at timestamptz default null, out released boolean, out grants json
    ) language plpgsql as $$
    begin
      select r.released, r.grants into released, grants
      from darkroom.release_unharmed(_reservation, _generation, _at) r;
      if nextval('releases') % 3 = 1 then raise exception 'refused'; end if;
    end $$`);
  const jobs = await Promise.all(Array.from({ length: 9 }, () => submitSimple(world)));
  for (const job of jobs) expect(await job.wait()).toMatchObject({ status: 'succeeded', attempts: 1 });
  await untilIdle(world);
  const { rows } = await world.pool.query<{ calls: number }>('select last_value::int as calls from releases');
  expect(rows[0]?.calls).toBeGreaterThan(jobs.length);
  expect((await world.capacity.snapshot()).reservations).toEqual([]);
  expect(await world.drift()).toEqual([]);
  await world.pool.query('drop function darkroom.release; alter function darkroom.release_unharmed rename to release');
});
