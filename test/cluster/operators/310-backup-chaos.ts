import { expect } from 'vitest';
import { chaosRounds, type ChaosFault, type ChaosRound } from '../../operators/kit/chaos.ts';
import { backupOf } from './310-backup-objects.ts';
import type { BackupRig } from './310-backup-rig.ts';

const KEEP = 2;
const NAME = 'chaos';

/**
 * Lets go wrong what can while a backup is made, round by round. Whole is: the CronJob is as the Backup wants it, and a
 * backup of this round is good; meanwhile the last good one is in the bucket, and no more than `keep` of them.
 */
export async function backupChaos(
  rig: BackupRig,
  options: { readonly rounds: number; readonly seed: number; readonly tell?: (line: string) => void },
): Promise<readonly ChaosRound[]> {
  // Of Redis, whose dump is restored in a moment; what happens to a Job is the same for all.
  const source = { redis: { host: rig.host('redis'), secretName: 'redis' } };
  await rig.inServer('redis', 'REDISCLI_AUTH=redis-secret redis-cli SET chaos kept');
  await rig.make(backupOf(rig, NAME, { source, retention: { keep: KEEP } }));
  let round = 0;
  let tries = 0;
  const jobNow = (): string => `${NAME}-${round}-${tries}`;
  const kill = async (namespace: string, name: string): Promise<void> => {
    const gone = ['--grace-period=0', '--force', '--wait=false', '--ignore-not-found'];
    await rig.kubectl('--namespace', namespace, 'delete', 'pod', name, ...gone);
  };
  const killServer = async (name: string): Promise<void> => kill(`${rig.backups}-servers`, `${name}-0`);
  const podsOf = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await rig.list('pods', ...args)).map(({ metadata }) => metadata.name);
  const faults: readonly ChaosFault[] = [
    { name: 'the CronJob is deleted', act: async () => void (await rig.there('delete', 'cronjob', NAME)) },
    {
      name: 'the Pod of a backup is deleted',
      act: async () => {
        for (const pod of await podsOf('-l', `batch.kubernetes.io/job-name=${jobNow()}`)) await kill(rig.backups, pod);
      },
    },
    {
      name: 'the operator is killed',
      act: async () => {
        const { items } = await rig.get<{ items: readonly { metadata: { name: string } }[] }>(
          'pods',
          '-l',
          'app=backup',
        );
        for (const { metadata } of items) await kill('example-backup', metadata.name);
      },
    },
    { name: 'the store is killed', act: async () => killServer('s3') },
    { name: 'the database is killed', act: async () => killServer('redis') },
    {
      name: 'the Job of a backup is deleted',
      act: async () => void (await rig.there('delete', 'job', jobNow(), '--ignore-not-found', '--wait=false')),
    },
    {
      name: 'the CronJob is suspended by hand',
      act: async () => void (await rig.there('patch', 'cronjob', NAME, '-p', '{"spec":{"suspend":true}}')),
    },
  ];
  const isWhole = async (): Promise<void> => {
    expect((await rig.find('cronjobs', NAME))?.['spec']).toMatchObject({ suspend: false, schedule: '0 0 29 2 *' });
    const job = await rig.find('jobs', jobNow());
    const { failed = 0 } = Object(job?.['status']);
    if (job === undefined || failed > 0) await rig.run(NAME, `${NAME}-${round}-${(tries += 1)}`);
    const { lastSuccess, conditions } = Object((await rig.find('backups', NAME))?.['status']);
    const { backup } = Object(lastSuccess);
    const names = await goodIn(rig, NAME);
    if (backup !== undefined) expect(names).toContain(backup);
    expect(names.length).toBeLessThanOrEqual(KEEP);
    expect(lastSuccess).toMatchObject({ job: jobNow() });
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'BackedUp', status: 'True' }));
  };
  const before = async (): Promise<void> => {
    await rig.kubectl('wait', '--for', 'condition=Available', '--timeout=120s', 'deployment/backup');
    round += 1;
    tries = 0;
  };
  // The Job of the round begins with its fault.
  const struck = faults.map(({ name, act }) => ({
    name,
    act: async () => {
      round += 1;
      tries = 0;
      await rig.run(NAME, jobNow());
      await act();
    },
  }));
  return chaosRounds({ ...options, faults: struck, isWhole, before });
}

/** The names of the backups of a Backup that are in the bucket, whole. */
export async function goodIn(rig: BackupRig, name: string, where?: string): Promise<readonly string[]> {
  const files = await rig.bucket(`${rig.backups}/${name}`, where);
  return files.flatMap((file) => /^\.\/(\d[^/]*)\/manifest\.json$/.exec(file)?.[1] ?? []);
}
