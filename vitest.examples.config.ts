import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LONG } from './vitest.long.config.ts';

export default defineConfig({
  resolve: { alias: { hooklet: fileURLToPath(new URL('src/sdk/index.ts', import.meta.url)) } },
  test: {
    include: ['test/{operators,stories}/**/*.test.ts'],
    exclude: [...LONG],
    pool: 'forks',
    // Hundreds of plays of one example; each has a limit of its own.
    testTimeout: 600_000,
  },
});
