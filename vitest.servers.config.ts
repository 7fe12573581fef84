import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests of the solutions with real databases and buckets, which need no API server. */
export const SERVERS = [
  'backup-drill',
  'backup-bucket',
  'backup-odd-postgresql',
  'backup-etcd',
  'backup-retention',
  'backup-new-server',
  'backup-encrypted',
  'backup-attempts',
  'backup-owner',
  'backup-redis',
  'backup-room',
  'backup-scratch',
  'backup-takeover',
  'etcd-repair-calls',
  'etcd-repair-manifests',
].map((name) => `test/cluster/solutions/${name}.test.ts`);

/** `.ci/run` has them beside the cluster tests, which wait most of the time. */
export default defineConfig({
  resolve: { alias: { hooklet: fileURLToPath(new URL('src/sdk/index.ts', import.meta.url)) } },
  test: {
    include: SERVERS,
    pool: 'forks',
    maxWorkers: 1,
    // They hold wall times of whole programs. `.ci/run` lists what passed at the second try alone.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
