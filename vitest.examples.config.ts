import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LONG } from './vitest.long.config.ts';

/** What people copy and install: the examples and solutions, their stories, the tutorial and the package. */
export const DELIVERED: readonly string[] = [
  'test/{examples,operators,solutions,stories}/**/*.test.ts',
  'test/docs/tutorial.test.ts',
  'test/package.test.ts',
];

export default defineConfig({
  resolve: { alias: { hooklet: fileURLToPath(new URL('src/sdk/index.ts', import.meta.url)) } },
  test: {
    include: [...DELIVERED],
    exclude: [...LONG],
    pool: 'forks',
    maxWorkers: availableParallelism(),
    // Hundreds of plays of one example; each has a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
