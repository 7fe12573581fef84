import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/page/**/*.test.ts'],
    pool: 'forks',
    // A browser answers after wall times. `.ci/run` lists what passed at the second try alone.
    retry: process.env['CI'] ? 1 : 0,
    // Guards against hanging alone.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
