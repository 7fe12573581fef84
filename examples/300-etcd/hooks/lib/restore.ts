import type { ConditionToSet, KubernetesObject, NewObject } from 'hooklet';
import { restoreProblem } from './backup-problem.ts';
import type { BackupSpec, EtcdBackup } from './backup.ts';
import type { StoredBackup } from './bucket.ts';
import { GROUP, type ClusterSpec, type ClusterStatus, type RestoreOptions } from './cluster.ts';
import { restoreVersionProblem } from './restore-version.ts';

export interface EtcdRestore extends KubernetesObject {
  readonly spec: RestoreSpec;
}

/** `backup` names an EtcdBackup; `from` names a backup in a bucket. */
export interface RestoreSpec {
  readonly backup?: string;
  readonly from?: StoredBackup;
  readonly cluster: string;
  readonly template: Omit<ClusterSpec, 'restore'>;
}

/** What a restore knows of a backup. */
export interface BackupView {
  readonly name: string;
  readonly namespace: string;
  readonly spec: BackupSpec;
  readonly status: NonNullable<EtcdBackup['status']>;
}

/** What it knows of a cluster. */
export interface RestoredView {
  readonly name: string;
  readonly namespace: string;
  /** The uid of the EtcdRestore that made it; empty for others. */
  readonly restore: string;
  readonly conditions: NonNullable<ClusterStatus['conditions']>;
}

/** On an EtcdCluster: the uid of the EtcdRestore that made it. */
export const RESTORE = `${GROUP}/restore`;

export interface Restoring {
  readonly condition: ConditionToSet;
  /** The cluster to be made. It has no owner, because it outlives the EtcdRestore. */
  readonly create?: NewObject;
}

/** Makes a new cluster from a backup, and never touches one that is there. */
export function restoreAnswer(
  restore: EtcdRestore,
  { backups, clusters }: { readonly backups: readonly BackupView[]; readonly clusters: readonly RestoredView[] },
): Restoring {
  const { namespace, name, uid } = restore.metadata;
  const { cluster, template } = restore.spec;
  const there = clusters.find((one) => one.name === cluster && one.namespace === namespace);
  if (there !== undefined) return { condition: stateOf(there, uid) };
  const from = sourceOf(restore, backups);
  if ('condition' in from) return from;
  const problem = restoreVersionProblem({ version: template.version, restore: from });
  if (problem !== undefined) return no('InvalidSpec', problem.replace('spec.', 'spec.template.'));
  const create = {
    apiVersion: `${GROUP}/v1`,
    kind: 'EtcdCluster',
    metadata: { name: cluster, ...(namespace !== undefined && { namespace }), annotations: { [RESTORE]: uid } },
    spec: { ...template, restore: from },
  };
  return { ...no('Restoring', `EtcdCluster ${cluster} is made for EtcdRestore ${name}`), create };
}

/** Where the snapshot is, or why there is none. */
function sourceOf({ metadata, spec }: EtcdRestore, backups: readonly BackupView[]): RestoreOptions | Restoring {
  const { namespace } = metadata;
  const { backup, from } = spec;
  const problem = restoreProblem(spec);
  if (problem !== undefined) return no('InvalidSpec', problem);
  if (from !== undefined) return { s3: from };
  const found = backups.find((one) => one.name === backup && one.namespace === namespace);
  if (found === undefined) {
    const message = `there is no EtcdBackup ${backup} in the namespace ${namespace}: set spec.backup to one that is there`;
    return no('NoBackup', message);
  }
  const { file, backup: stored } = found.status;
  const { claimName, destination, cluster } = found.spec;
  if (claimName !== undefined && file !== undefined) return { claimName, file };
  if (destination !== undefined && stored !== undefined) return { s3: { ...destination, of: cluster, backup: stored } };
  return no('BackupNotSaved', `EtcdBackup ${backup} has no snapshot: see its condition Ready`);
}

function stateOf({ name, restore, conditions }: RestoredView, uid: string): ConditionToSet {
  if (restore !== uid) {
    return no(
      'ClusterExists',
      `there is an EtcdCluster ${name} already, and a restore changes none: set spec.cluster to another name`,
    ).condition;
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') {
    return {
      type: 'Ready',
      status: 'True',
      reason: 'Restored',
      message: `EtcdCluster ${name} has what the backup had`,
    };
  }
  return no('Restoring', `EtcdCluster ${name} is not ready: ${ready?.reason ?? 'nothing is known of it yet'}`)
    .condition;
}

function no(reason: string, message: string): Restoring {
  return { condition: { type: 'Ready', status: 'False', reason, message } };
}
