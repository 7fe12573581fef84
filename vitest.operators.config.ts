import { defineConfig } from 'vitest/config';
import cluster from './vitest.cluster.config.ts';

/** The operators of the examples on real servers. */
export default defineConfig({
  ...cluster,
  test: { ...cluster.test, include: ['test/cluster/operators/**/*.test.ts'], exclude: [] },
});
