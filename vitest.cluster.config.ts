import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG } from './vitest.long.config.ts';

const sdk = fileURLToPath(new URL('src/sdk/index.ts', import.meta.url));

// What waits for the garbage collector goes before what deletes kinds, which makes that stand still for a while.
const FIRST = ['operations', 'conformance'];

class ClusterSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = FIRST.findIndex((name) => moduleId.endsWith(`/cluster/${name}.test.ts`));
      return place === -1 ? FIRST.length : place;
    };
    const byName = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    return byName.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  resolve: { alias: { hooklet: sdk } },
  test: {
    include: ['test/cluster/**/*.test.ts', 'packages/test-kubelet/test/**/*.test.ts'],
    exclude: [...LONG],
    globalSetup: ['test/cluster/global-setup.ts'],
    setupFiles: ['test/cluster/hinders-nobody.ts'],
    pool: 'forks',
    // Each worker has a control plane of its own, since some files kill its API server; most of the time they wait.
    maxWorkers: 2,
    sequence: { sequencer: ClusterSequencer },
    // They hold wall times of whole programs. `.ci/run` lists what passed at the second try alone.
    retry: process.env['CI'] ? 1 : 0,
    // Guards against hanging alone; a test that holds a time holds it itself.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
