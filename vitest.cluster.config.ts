import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const sdk = fileURLToPath(new URL('src/sdk/index.ts', import.meta.url));

// What waits for the garbage collector goes before what deletes kinds, which makes that stand still for a while.
const FIRST = ['operations', 'conformance'];

// What keeps the cores busy goes to the end, where nothing else runs that holds wall times.
const LAST = ['connections', 'connections-program'];

class ClusterSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeIn = (names: readonly string[], { moduleId }: TestSpecification): number =>
      names.findIndex((name) => moduleId.endsWith(`/cluster/${name}.test.ts`));
    const rank = (file: TestSpecification): number => {
      if (placeIn(LAST, file) !== -1) return FIRST.length + 1;
      const place = placeIn(FIRST, file);
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
    exclude: ['test/cluster/{operators,solutions}/**'],
    globalSetup: ['test/cluster/global-setup.ts'],
    setupFiles: ['test/cluster/hinders-nobody.ts'],
    pool: 'forks',
    // Each worker has a control plane of its own, since some files kill its API server; most of the time they wait.
    maxWorkers: 2,
    sequence: { sequencer: ClusterSequencer },
    // They hold wall times of whole programs. `.ci/run` lists what passed at the second try alone.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
