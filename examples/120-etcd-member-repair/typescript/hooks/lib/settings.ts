import { accessSync, constants } from 'node:fs';

export const STATE_ANNOTATION = 'etcd-repair.hooklet.dev/state';
export const PAUSE_ANNOTATION = 'etcd-repair.hooklet.dev/pause';

/** What README.md calls settings, defaults filled in. */
export interface Settings {
  readonly statefulset: string;
  readonly namespace: string;
  readonly clientScheme: string;
  readonly clientPort: number;
  readonly peerScheme: string;
  readonly peerPort: number;
  /** Of the member's names, such as `etcd.db.svc`; absent: by the Service of the StatefulSet. */
  readonly domain: string | undefined;
  /** Absent: the first claim template. */
  readonly dataClaim: string | undefined;
  readonly marker: string;
  readonly timeoutMs: number;
  readonly repairAfterMs: number;
  readonly joinWithinMs: number;
  readonly minMembers: number;
  readonly crontab: string;
  readonly snapshotDir: string;
  readonly snapshotsKept: number;
  readonly snapshotTimeoutMs: number;
  readonly snapshotMaxAgeMs: number;
}

/** Throws one error with everything that is wrong. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const whole = (name: string, byDefault: number, least = 1): number => {
    const value = text(name) ?? String(byDefault);
    if (/^[1-9][0-9]{0,8}$/.test(value) && Number(value) >= least) return Number(value);
    problems.push(`${name} is "${value}", expected a whole number, at least ${least}`);
    return byDefault;
  };
  const scheme = (name: string): string => {
    const value = text(name) ?? 'http';
    if (value !== 'http' && value !== 'https') problems.push(`${name} is "${value}", expected http or https`);
    return value;
  };
  const settings: Settings = {
    statefulset: text('ETCD_STATEFULSET') ?? 'etcd',
    namespace: text('POD_NAMESPACE') ?? 'default',
    clientScheme: scheme('ETCD_CLIENT_SCHEME'),
    clientPort: whole('ETCD_CLIENT_PORT', 2379),
    peerScheme: scheme('ETCD_PEER_SCHEME'),
    peerPort: whole('ETCD_PEER_PORT', 2380),
    domain: text('ETCD_DOMAIN'),
    dataClaim: text('ETCD_DATA_CLAIM'),
    marker: text('ETCD_MARKER') ?? 'etcd-cluster',
    timeoutMs: 1000 * whole('ETCD_TIMEOUT_SECONDS', 3),
    repairAfterMs: 1000 * whole('REPAIR_AFTER_SECONDS', 300),
    joinWithinMs: 1000 * whole('REPAIR_JOIN_SECONDS', 600),
    // Of two members both are needed for quorum: to take one out is to lose the cluster.
    minMembers: whole('REPAIR_MIN_MEMBERS', 3, 3),
    crontab: text('REPAIR_CRONTAB') ?? '*/15 * * * * *',
    snapshotDir: text('REPAIR_SNAPSHOT_DIR') ?? '/snapshots',
    snapshotsKept: whole('REPAIR_SNAPSHOTS_KEPT', 3),
    snapshotTimeoutMs: 1000 * whole('REPAIR_SNAPSHOT_TIMEOUT_SECONDS', 300),
    snapshotMaxAgeMs: 1000 * whole('REPAIR_SNAPSHOT_MAX_AGE_SECONDS', 300),
  };
  for (const name of ['ETCDCTL_CACERT', 'ETCDCTL_CERT', 'ETCDCTL_KEY']) {
    const path = text(name);
    if (path !== undefined && !isReadable(path))
      problems.push(`${name} is "${path}", which cannot be read: mount the Secret with the certificates there`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
