import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { DELIVERED } from './vitest.examples.config.ts';
import { LONG } from './vitest.long.config.ts';

const sdk = fileURLToPath(new URL('src/sdk/index.ts', import.meta.url));
// Their files leave nothing behind in the process, so that a new one for each is not needed.
const clean = [
  'test/{crontab,effects,filter,hook,kube,lib,queue,rights,sources,state}/**/*.test.ts',
  'packages/{jq,sandbox}/test/**/*.test.ts',
];
const faults = ['test/faults/**/*.test.ts'];
const cores = availableParallelism();
const elsewhere = [...LONG, ...DELIVERED, 'test/cluster/**', 'test/image/**', 'test/page/**', '**/node_modules/**'];

export default defineConfig({
  resolve: { alias: { hooklet: sdk } },
  test: {
    pool: 'forks',
    // Most files wait for processes, servers and time: with a worker for each core, a third of it is idle.
    maxWorkers: Math.ceil(cores * 1.5),
    // Guards against hanging alone; a test that holds a time holds it itself.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Processes from the sources start in half the time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'rooms', include: clean, exclude: elsewhere, isolate: false } },
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: [...clean, ...faults, ...elsewhere] },
      },
      // They hold wall times of whole programs: after all others, of which some keep a core busy. `.ci/run` lists what
      // passed at the second try alone.
      {
        extends: true,
        test: {
          name: 'faults',
          include: faults,
          retry: process.env['CI'] ? 1 : 0,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
