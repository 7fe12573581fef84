import { describe, expect, it } from 'vitest';
import { backupProblem, restoreProblem } from '../../examples/300-etcd/hooks/lib/backup-problem.ts';
import type { SeenPod } from '../../examples/310-backup/hooks/lib/seen.ts';
import { bucketAnswer } from '../../examples/300-etcd/hooks/lib/bucket-backup.ts';
import { restoreJobOf } from '../../examples/300-etcd/hooks/lib/restore-job.ts';
import { specProblem } from '../../examples/300-etcd/hooks/lib/spec-problem.ts';

const BUCKET = { bucket: 'backups', secretName: 's3' };
const SPEC = { replicas: 1, version: '3.6.7', storage: { size: '8Gi' } };
const NOW = Date.parse('2026-03-01T00:00:00Z');

describe('etcd: a backup that cannot be is refused', () => {
  it.each([
    [{}, 'spec has neither claimName nor destination: give one of them'],
    [{ claimName: 'a', destination: BUCKET }, 'spec has both claimName and destination: give one of them'],
    [{ claimName: 'a', schedule: '@daily' }, 'spec.schedule is of backups in a bucket'],
    [{ claimName: 'a', retention: { keep: 1 } }, 'spec.retention is of backups in a bucket'],
    [{ destination: BUCKET, suspend: true }, 'spec.suspend is of a schedule: give spec.schedule too'],
    [{ destination: BUCKET, schedule: '0 3 30 feb *' }, 'never comes'],
    [{ destination: BUCKET, schedule: '99 * * * *' }, 'is no crontab'],
    [{ destination: BUCKET, schedule: '@daily', timeZone: 'Mars/Olympus' }, 'there is no time zone "Mars/Olympus"'],
  ])('%j', (spec, sentence) => {
    expect(backupProblem({ cluster: 'etcd', ...spec }, NOW)).toContain(sentence);
  });

  it('and one that can be is not', () => {
    expect(backupProblem({ cluster: 'etcd', claimName: 'a' }, NOW)).toBeUndefined();
    expect(backupProblem({ cluster: 'etcd', destination: BUCKET, schedule: '@daily' }, NOW)).toBeUndefined();
  });
});

describe('etcd: a restore', () => {
  it.each([
    [{}, 'spec has neither backup nor from'],
    [{ backup: 'a', from: { ...BUCKET, of: 'b' } }, 'spec has both backup and from'],
  ])('%j is refused', (spec, sentence) => {
    expect(restoreProblem({ cluster: 'new', template: SPEC, ...spec })).toContain(sentence);
  });

  it('of a claim and a bucket at once, or of neither, is refused by the cluster too', () => {
    const sentence = 'spec.restore needs claimName and file, or s3, and not both';
    expect(specProblem({ ...SPEC, restore: {} })).toContain(sentence);
    expect(specProblem({ ...SPEC, restore: { claimName: 'a' } })).toContain(sentence);
    expect(specProblem({ ...SPEC, restore: { claimName: 'a', file: 'b', s3: { ...BUCKET, of: 'c' } } })).toContain(
      sentence,
    );
  });

  it('from a bucket is done by the script of the engine, for the first member alone, with the keys of the Secret', () => {
    const restore = { s3: { ...BUCKET, of: 'app', backup: '20260301T020100Z-a', takeOver: 'etcd/1/other/app' } };
    const job = restoreJobOf({ name: 'new', namespace: 'default' }, 'uid', { ...SPEC, restore });
    const [container] = containersOf(job);

    expect(container.command.slice(0, 6)).toEqual([
      'bash',
      '/restore/etcd.sh',
      '--backup',
      '20260301T020100Z-a',
      '--take-over',
      'etcd/1/other/app',
    ]);
    expect(container.command).toContain('new-0=http://new-0-0.new.default.svc:2380');
    expect(container.env).toContainEqual({ name: 'BACKUP_FOLDER', value: 'default/app' });
    expect(container.env).toContainEqual({
      name: 'AWS_SECRET_ACCESS_KEY',
      valueFrom: { secretKeyRef: { name: 's3', key: 'secretKey' } },
    });
  });
});

describe('etcd: a backup on a schedule', () => {
  const metadata = {
    name: 'nightly',
    namespace: 'default',
    uid: 'b',
    generation: 1,
    resourceVersion: '1',
    creationTimestamp: '',
  };
  const spec = { cluster: 'etcd', destination: BUCKET, schedule: '@daily' };
  const cluster = { name: 'etcd', namespace: 'default', spec: SPEC };
  const answer = (pods: readonly SeenPod[] = []) =>
    bucketAnswer({ apiVersion: 'etcd.hooklet.dev/v1', kind: 'EtcdBackup', metadata, spec }, BUCKET, {
      cluster,
      given: undefined,
      jobs: [],
      pods,
      before: undefined,
      end: () => expect.unreachable(),
    });

  it('k8up#370, cloudnative-pg#7623: is one CronJob with one Job at a time, which is ended after 6 hours', () => {
    expect(answer()?.children).toMatchObject([
      {
        kind: 'CronJob',
        spec: {
          concurrencyPolicy: 'Forbid',
          jobTemplate: { spec: { backoffLimit: 3, activeDeadlineSeconds: 6 * 3600 } },
        },
      },
    ]);
  });

  it('k8up#86: says why its Pod does not begin, in a condition and an Event', () => {
    const waits = 'CreateContainerConfigError: secret "s3" not found';
    const [waitReason = '', waitMessage = ''] = waits.split(': ');
    const told = answer([{ ...POD, waitReason, waitMessage }]);

    expect(told?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'PodWaits' }]);
    expect(told?.events).toMatchObject([
      { type: 'Warning', reason: 'PodWaits', message: expect.stringContaining(waits) },
    ]);
  });
});

/** Of the backup, and about to begin. */
const POD: SeenPod = {
  name: 'nightly-backup-1-a',
  uid: 'p',
  job: 'nightly-backup-1',
  jobUid: '',
  backupUid: 'b',
  task: '',
  created: '2026-03-01T00:00:00Z',
  over: false,
  began: false,
  runningSince: '',
  waitReason: '',
  waitMessage: '',
  ended: null,
};

interface Container {
  readonly command: readonly string[];
  readonly env: readonly object[];
}

function containersOf(job: object): readonly [Container] {
  return Object(Reflect.get(job, 'spec')).template.spec.containers;
}
