import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const sdk = fileURLToPath(new URL('src/sdk/index.ts', import.meta.url));

export default defineConfig({
  resolve: { alias: { hooklet: sdk } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'test/image/**', '**/node_modules/**'],
    pool: 'forks',
    testTimeout: 20_000,
  },
});
