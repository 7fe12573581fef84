import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/image/**/*.test.ts'],
    globalSetup: ['test/image/global-setup.ts', 'test/cluster/global-setup.ts'],
    pool: 'forks',
    // The files share one API server, and the times they measure.
    fileParallelism: false,
    // They hold wall times of whole programs. `.ci/run` lists what passed at the second try alone.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
