import { IMAGE } from './backup-engine/jobs.ts';
import { podTemplate, type EnginePod } from './backup-engine/pod.ts';
import type { Backup } from './backup-engine/spec.ts';
import type { Bucket } from './bucket.ts';

/** How long a Pod may take to begin, and a Job to end. */
export const START_TIMEOUT = '10m';
export const DEADLINE = '6h';

/** Whose backups an engine works on, and where they are. */
export interface EngineWork {
  readonly namespace: string;
  readonly of: string;
  readonly bucket: Bucket;
  /** The client URLs of the cluster; none for a restore. */
  readonly endpoints: readonly string[];
  /** With the certificate of a client. */
  readonly tlsSecretName?: string;
  readonly retention?: { readonly keep?: number; readonly keepDays?: number };
}

/** The spec of a Pod in which the engine makes a backup once: verified, locked, and with retention, as in example 310. */
export function enginePod(work: EngineWork): EnginePod['spec'] {
  return podTemplate(asBackup(work), 'backup', IMAGE).spec;
}

/** The same as a Backup of example 310. */
function asBackup({ namespace, of, bucket, endpoints, tlsSecretName, retention = {} }: EngineWork): Backup {
  const { keep = 7, keepDays = 0 } = retention;
  const { takeOver, ...place } = bucket;
  return {
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'Backup',
    // The name is part of the identity of the backups, which stays that of the cluster.
    metadata: { name: of, namespace, uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: {
      schedule: '',
      timeZone: 'Etc/UTC',
      suspend: false,
      source: { etcd: { endpoints, ...(tlsSecretName !== undefined && { tlsSecretName }) } },
      destination: { region: 'us-east-1', ...place, ...(takeOver !== undefined && { takeOver }) },
      retention: { keep, keepDays },
      verify: 'Restore',
      retries: 3,
      startTimeout: START_TIMEOUT,
      deadline: DEADLINE,
      lockTimeout: '2m',
      room: { memory: '2Gi', disk: '20Gi' },
      deletionPolicy: 'Keep',
    },
  };
}
