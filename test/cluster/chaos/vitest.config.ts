import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export default defineConfig({
  root,
  resolve: { alias: { hooklet: fileURLToPath(new URL('../../../src/sdk/index.ts', import.meta.url)) } },
  test: {
    include: ['test/cluster/chaos/*.chaos.ts'],
    globalSetup: ['test/cluster/global-setup.ts'],
    pool: 'forks',
    testTimeout: 24 * 3600 * 1000,
    hookTimeout: 120_000,
  },
});
