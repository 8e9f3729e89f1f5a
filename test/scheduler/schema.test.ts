import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useDatabase } from './scene.js';
import { dumpSchema } from './schema-dump.js';

const world = useDatabase(1);

/** Updated by `npx vitest run test/scheduler/schema.test.ts --update`. */
test('the schema is the one that was reviewed', async () => {
  const reviewed = fileURLToPath(new URL('./schema.sql', import.meta.url));
  await expect(await dumpSchema(world.pool)).toMatchFileSnapshot(reviewed);
});
