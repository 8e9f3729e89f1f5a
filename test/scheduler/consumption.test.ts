import { describe, expect, test } from 'vitest';
import { createCapacity, type Consumption } from '../../scheduler/index.js';
import { implementations, Scene, useDatabase } from './scene.js';

const world = useDatabase();
const artifact = { id: 'article', version: '3' };
const expected: Consumption = { job: 'a', by: 'publisher', artifact, inputDigest: 'digest' };

async function committed(scene: Scene): Promise<void> {
  const grant = await scene.takeActive('a', { artifact });
  await scene.capacity.commit({ ...grant, job: 'a', attempt: 1, result: { width: 1 } }, scene.at);
}

describe.each(implementations)('$name', ({ create }) => {
  async function fleet(): Promise<Scene> {
    const scene = new Scene(create(world.pool));
    await scene.fleet();
    return scene;
  }

  test('a consumed result is handed over, and to everybody later with who was first', async () => {
    const scene = await fleet();
    await committed(scene);
    const result = await scene.capacity.result('a');
    expect(await scene.capacity.consume(expected, scene.at)).toEqual({ state: 'consumed', by: 'publisher', result });
    const again = { state: 'already', by: 'publisher', result };
    expect(await scene.capacity.consume(expected, scene.at)).toEqual(again);
    expect(await scene.capacity.consume({ ...expected, by: 'another' }, scene.at)).toEqual(again);
    const lines = (await scene.capacity.ledger()).filter(({ event }) => event === 'consumed');
    expect(lines).toMatchObject([{ job: 'a', attempt: 1, reservation: null, user: 'user', reason: 'publisher' }]);
  });

  test.each([
    ['artifact', { artifact: { id: 'other', version: '3' } }],
    ['version', { artifact: { id: 'article', version: '4' } }],
    ['target, which is no artifact', { artifact: null }],
    ['input', { inputDigest: 'other' }],
  ])('whoever expects another %s is refused and consumes nothing', async (_, difference) => {
    const scene = await fleet();
    await committed(scene);
    const refused = { state: 'refused', code: 'result_mismatch' };
    expect(await scene.capacity.consume({ ...expected, ...difference }, scene.at)).toEqual(refused);
    expect(await scene.capacity.consume(expected, scene.at)).toMatchObject({ state: 'consumed' });
    expect(await scene.capacity.consume({ ...expected, ...difference }, scene.at)).toEqual(refused);
  });

  test('a job of no artifact is consumed by who expects none', async () => {
    const scene = await fleet();
    const grant = await scene.takeActive('a');
    await scene.capacity.commit({ ...grant, job: 'a', attempt: 1, result: {} }, scene.at);
    expect(await scene.capacity.consume(expected, scene.at)).toMatchObject({ state: 'refused' });
    expect(await scene.capacity.consume({ ...expected, artifact: null }, scene.at)).toMatchObject({
      state: 'consumed',
    });
  });

  test('a job that has no result yet, and one that is unknown, have none to consume', async () => {
    const scene = await fleet();
    await scene.takeActive('a', { artifact });
    expect(await scene.capacity.consume(expected, scene.at)).toEqual({ state: 'none' });
    expect(await scene.capacity.consume({ ...expected, job: 'b' }, scene.at)).toEqual({ state: 'none' });
    expect(await scene.capacity.ledger()).not.toContainEqual(expect.objectContaining({ event: 'consumed' }));
  });
});

test('of many who consume one result at once, one is first and all are told the same', async () => {
  const capacity = createCapacity(world.pool);
  const scene = new Scene(capacity);
  await scene.fleet();
  await committed(scene);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => capacity.consume({ ...expected, by: `consumer${index}` }, scene.at)),
  );
  const first = answers.filter(({ state }) => state === 'consumed');
  expect(first).toHaveLength(1);
  expect(new Set(answers.map((answer) => ('by' in answer ? answer.by : answer.state))).size).toBe(1);
});
