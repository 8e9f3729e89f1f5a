import { defineConfig } from 'vitest/config';

/** Recording needs what end-to-end tests need, but is no test: `npm test` does not find it. */
export default defineConfig({
  test: {
    include: ['test/replay/record.ts', 'test/support/ui-pictures.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    pool: 'forks',
  },
});
