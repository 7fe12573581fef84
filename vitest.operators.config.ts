import { defineConfig } from 'vitest/config';
import cluster from './vitest.cluster.config.ts';

/** What takes minutes, of the tests of an operator among the examples that need no real servers. */
export const LONG = [
  '310-backup',
  '320-sampledb',
  '330-static-website',
  '330-static-website-bugs',
  '340-prometheus',
  '340-prometheus-bugs',
  'stories',
].map((name) => `test/operators/${name}.test.ts`);

/** The operators among the examples: every field, their stories under perturbations, and real servers. */
export default defineConfig({
  ...cluster,
  test: {
    ...cluster.test,
    include: [...LONG, 'test/cluster/operators/**/*.test.ts'],
    exclude: [],
    testTimeout: 900_000,
  },
});
