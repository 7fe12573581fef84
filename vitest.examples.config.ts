import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/stories/**/*.test.ts'],
    pool: 'forks',
    // Hundreds of plays of one example; each has a limit of its own.
    testTimeout: 600_000,
  },
});
