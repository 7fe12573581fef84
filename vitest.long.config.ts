import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes minutes: the solutions and the operators among the examples on real servers, what becomes of Jobs that fail
 * and of their leaders, and of replicas that divide objects, the fields of the operators, the stories of all under perturbations, and what compares with a
 * real API server what the unit suite holds on the sandbox. Shares of about the same time, of which `.ci/run` takes one in
 * turn: `--shard=2/10` is the second.
 */
export const SHARES: readonly (readonly string[])[] = [
  [
    'operators/300-etcd',
    'cluster/solutions/etcd-repair-refusals',
    'cluster/operators/320-sampledb',
    'cluster/solutions/backup-new-server',
    'cluster/solutions/backup-attempts',
  ],
  [
    'operators/340-prometheus',
    'operators/320-sampledb',
    'cluster/webhook-rotation',
    'cluster/solutions/backup-encrypted',
    'cluster/solutions/backup-scratch',
  ],
  [
    'stories/examples',
    'cluster/solutions/etcd-repair-witnesses',
    'cluster/solutions/etcd-repair-obstacles',
    'cluster/solutions/backup-retention',
    'cluster/solutions/etcd-repair-rig',
    'cluster/solutions/backup-redis',
  ],
  [
    'cluster/solutions/backup-odd-postgresql',
    'cluster/solutions/etcd-repair-install',
    'cluster/operators/120-etcd-member-repair',
    'cluster/operators/330-static-website',
    'cluster/solutions/etcd-repair-snapshots',
    'cluster/solutions/etcd-repair-calls',
  ],
  [
    'cluster/solutions/backup-faults',
    'cluster/solutions/etcd-repair-failures',
    'cluster/solutions/backup',
    'solutions/backup',
    'cluster/solutions/etcd-repair-decisions',
    'cluster/solutions/etcd-repair-outage',
  ],
  [
    'cluster/operators/310-backup',
    'operators/330-static-website',
    'cluster/solutions/etcd-repair-interruptions',
    'cluster/operators/340-prometheus',
    'cluster/operators/300-etcd-space',
    'cluster/solutions/etcd-repair-manifests',
  ],
  [
    'operators/310-backup',
    'cluster/solutions/backup-restore',
    'cluster/operators/300-etcd',
    'cluster/solutions/etcd-repair-corruption',
    'operators/330-static-website-bugs',
    'cluster/solutions/backup-owner',
    'cluster/solutions/backup-room',
  ],
  [
    'cluster/operators/300-etcd-tls',
    'cluster/solutions/backup-bucket',
    'cluster/solutions/backup-drill',
    'cluster/solutions/backup-etcd',
    'cluster/solutions/backup-operators',
    'operators/340-prometheus-bugs',
    'cluster/solutions/backup-takeover',
  ],
  ['operators/stories'],
  // The first hold wall times of single connections, so they have one worker: `--maxWorkers=1`.
  [
    'cluster/connections',
    'cluster/connections-program',
    'cluster/kubectl',
    'cluster/jobs-failures',
    'cluster/jobs-leaders',
    'cluster/workers-faults',
    'cluster/shards-faults',
    'cluster/shards-server-side',
  ],
];

const fileOf = (name: string): string => `test/${name}.test.ts`;
export const LONG: readonly string[] = SHARES.flat().map(fileOf);

class Shares extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = SHARES.length } = this.ctx.config.shard ?? {};
    if (count !== SHARES.length) throw new Error(`--shard: received a count of ${count}, expected ${SHARES.length}`);
    const names = SHARES[index - 1]?.map(fileOf) ?? [];
    return files.filter(({ moduleId }) => names.some((name) => moduleId.endsWith(`/${name}`)));
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number =>
      LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
    return files.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  resolve: { alias: { hooklet: fileURLToPath(new URL('src/sdk/index.ts', import.meta.url)) } },
  test: {
    include: [...LONG],
    globalSetup: ['test/cluster/global-setup.ts'],
    setupFiles: ['test/cluster/hinders-nobody.ts'],
    pool: 'forks',
    // Each worker has a control plane of its own; most of the time they wait.
    maxWorkers: 2,
    sequence: { sequencer: Shares },
    // They hold wall times of whole programs. `.ci/run` lists what passed at the second try alone.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 900_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
