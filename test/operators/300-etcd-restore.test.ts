import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from 'hooklet';
import { restoreAnswer, type EtcdRestore } from '../../examples/300-etcd/hooks/lib/restore.ts';
import { restoreJobOf } from '../../examples/300-etcd/hooks/lib/restore-job.ts';
import { restoreVersionProblem } from '../../examples/300-etcd/hooks/lib/restore-version.ts';
import { restoreOf } from '../../examples/300-etcd/hooks/lib/parts.ts';
import { EtcdWorld } from '../support/etcd-world/world.ts';

const SPEC = { replicas: 1, version: '3.6.7', storage: { size: '8Gi' } };
const CLAIM = { claimName: 'backups', file: 'monday.db' };
const BUCKET = { s3: { bucket: 'backups', secretName: 's3', of: 'etcd' } };
const METADATA = { name: 'a', namespace: 'default', uid: 'r', resourceVersion: '1', creationTimestamp: '' };

describe('etcd: the Job that restores', () => {
  it.each([
    ['a claim', CLAIM, 3600],
    ['a bucket', BUCKET, 6 * 3600],
  ])('%s tries 3 times again, one Pod at a time, and ends', (_, restore, activeDeadlineSeconds) => {
    const job = restoreJobOf({ name: 'new', namespace: 'default' }, 'uid', { ...SPEC, restore });
    expect(job['spec']).toMatchObject({ backoffLimit: 3, podReplacementPolicy: 'Failed', activeDeadlineSeconds });
  });

  it('begins in a folder that etcdutl refuses when it is not empty, or that is renamed when it is whole', () => {
    const commandOf = (restore: object): readonly string[] => {
      const job: object = restoreJobOf({ name: 'new', namespace: 'default' }, 'uid', { ...SPEC, restore });
      return Object(job).spec.template.spec.containers[0].command;
    };
    expect(commandOf(CLAIM).slice(0, 6)).toEqual([
      'etcdutl',
      'snapshot',
      'restore',
      '/backup/monday.db',
      '--data-dir',
      '/var/lib/etcd/data',
    ]);
    expect(commandOf(BUCKET)).not.toContain('--force');
  });

  it('is told with the Pods that have failed while it runs, and with why it has failed in the end', () => {
    const job = (status: object): KubernetesObject & { readonly status: object } => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: METADATA,
      status,
    });
    const conditions = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'it took too long' }];

    expect(restoreOf([job({ active: 1 })])).toEqual({ restoring: 'running', restoreSaid: '' });
    expect(restoreOf([job({ active: 1, failed: 2 })])).toEqual({
      restoring: 'running',
      restoreSaid: '2 Pods have failed',
    });
    expect(restoreOf([job({ failed: 1, conditions })])).toEqual({
      restoring: 'failed',
      restoreSaid: '1 Pods have failed, DeadlineExceeded: it took too long',
    });
  });
});

describe('etcd: a version whose etcdutl cannot raise the revision', () => {
  it.each(['3.5.0', '3.5.9'])('%s is refused for a snapshot in a volume, with what to ask for', (version) => {
    expect(restoreVersionProblem({ version, restore: CLAIM })).toContain('ask for 3.5.10 or newer');
    expect(restoreVersionProblem({ version, restore: BUCKET })).toBeUndefined();
    expect(restoreVersionProblem({ version })).toBeUndefined();
  });

  it.each(['3.5.10', '3.6.0'])('%s is not refused', (version) => {
    expect(restoreVersionProblem({ version, restore: CLAIM })).toBeUndefined();
  });

  it('is refused by the cluster before its Job is made, and goes on with another version', async () => {
    const made = new EtcdWorld({ ...SPEC, version: '3.5.9', restore: CLAIM });
    for (let step = 0; step < 3; step++) await made.step();
    expect(made.reasons.at(-1)).toBe('InvalidSpec');
    expect([...made.objects.keys()]).not.toContain('Job/etcd-0-restore');

    made.spec = { ...made.spec, version: '3.5.10' };
    await made.rests();
    expect(made.voters()).toBe(1);
  });

  it('is refused by an EtcdRestore from a claim', () => {
    const restore: EtcdRestore = {
      apiVersion: 'etcd.hooklet.dev/v1',
      kind: 'EtcdRestore',
      metadata: METADATA,
      spec: { backup: 'monday', cluster: 'new', template: { ...SPEC, version: '3.5.9' } },
    };
    const spec = { cluster: 'etcd', claimName: 'backups' };
    const backups = [{ name: 'monday', namespace: 'default', spec, status: { file: 'monday.db' } }];

    const { condition, create } = restoreAnswer(restore, { backups, clusters: [] });

    expect(condition).toMatchObject({
      reason: 'InvalidSpec',
      message: expect.stringContaining('spec.template.version is "3.5.9"'),
    });
    expect(create).toBeUndefined();
  });
});
