import type { KubernetesObject } from 'hooklet';
import type { BackupsClaim } from './backups-claim.ts';
import { VERSION } from './pod.ts';
import { heldSize, sizesOf } from './space.ts';
import type { SampleDB } from './spec.ts';

interface There {
  readonly volume: KubernetesObject | undefined;
  readonly backups: BackupsClaim | undefined;
  /** When the last backup was taken. */
  readonly last: string | undefined;
}

/** The status of a SampleDB but for its conditions. */
export function statusOf({ metadata, spec, status = {} }: SampleDB, { volume, backups, last }: There) {
  const size = heldSize(volume && sizesOf(volume));
  // Before there is a volume there is no data; what was known of data is not forgotten.
  const version = size === undefined ? status.version : versionOf(volume);
  return {
    version: version ?? null,
    size: size ?? null,
    backupSize: heldBackups(backups) ?? null,
    storageClassName: classOf(volume) ?? null,
    endpoint: `${metadata.name}.${metadata.namespace ?? ''}.svc:5432`,
    onDelete: spec.onDelete,
    lastBackup: last ?? null,
  };
}

/** The version that the data of a volume is of. */
export function versionOf(volume: KubernetesObject | undefined): string | undefined {
  return volume?.metadata.annotations?.[VERSION];
}

/** The StorageClass of a claim; empty where it has none, undefined where there is no claim. */
export function classOf(volume: KubernetesObject | undefined): string | undefined {
  return volume && String(Object(volume['spec'])['storageClassName'] ?? '');
}

/** The size below which the volume of the backups cannot go. */
export function heldBackups(claim: BackupsClaim | undefined): string | undefined {
  return claim?.isOurs === true ? heldSize(claim) : undefined;
}
