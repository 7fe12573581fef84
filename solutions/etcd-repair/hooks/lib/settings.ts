import { accessSync, constants } from 'node:fs';

export const STATE_ANNOTATION = 'etcd-repair.hooklet.dev/state';
export const REPAIRS_ANNOTATION = 'etcd-repair.hooklet.dev/repairs';
export const PAUSE_ANNOTATION = 'etcd-repair.hooklet.dev/pause';

/** The settings of README.md, with defaults filled in. */
export interface Settings {
  readonly statefulset: string;
  readonly namespace: string;
  readonly clientScheme: string;
  readonly clientPort: number;
  /** Where `/debug/vars` and `/metrics` are. */
  readonly httpPort: number;
  readonly peerScheme: string;
  readonly peerPort: number;
  /** Of the member's names, such as `etcd.db.svc`; absent: by the Service of the StatefulSet. */
  readonly domain: string | undefined;
  /** Absent: the first claim template. */
  readonly dataClaim: string | undefined;
  readonly marker: string;
  readonly timeoutMs: number;
  /** For the hash of all that a member holds, which it has to read for it. */
  readonly hashTimeoutMs: number;
  readonly repairAfterMs: number;
  readonly joinWithinMs: number;
  readonly maxRepairsPerDay: number;
  readonly minMembers: number;
  readonly crontab: string;
  readonly snapshotDir: string;
  readonly snapshotsKept: number;
  readonly snapshotTimeoutMs: number;
  readonly snapshotMaxAgeMs: number;
  /** Where the ServiceAccount of the Pod is mounted. */
  readonly accountDir: string;
}

/** Throws one error with all invalid values. */
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
  const clientPort = whole('ETCD_CLIENT_PORT', 2379);
  const settings: Settings = {
    statefulset: text('ETCD_STATEFULSET') ?? 'etcd',
    namespace: text('POD_NAMESPACE') ?? 'default',
    clientScheme: scheme('ETCD_CLIENT_SCHEME'),
    clientPort,
    httpPort: whole('ETCD_HTTP_PORT', clientPort),
    peerScheme: scheme('ETCD_PEER_SCHEME'),
    peerPort: whole('ETCD_PEER_PORT', 2380),
    domain: text('ETCD_DOMAIN'),
    dataClaim: text('ETCD_DATA_CLAIM'),
    marker: text('ETCD_MARKER') ?? 'etcd-cluster',
    timeoutMs: 1000 * whole('ETCD_TIMEOUT_SECONDS', 3),
    hashTimeoutMs: 1000 * whole('ETCD_HASH_TIMEOUT_SECONDS', 60),
    // A dead node's Pod is given up after 350 seconds, its volume 360 later: until then it may move with its data.
    repairAfterMs: 1000 * whole('REPAIR_AFTER_SECONDS', 900),
    joinWithinMs: 1000 * whole('REPAIR_JOIN_SECONDS', 600),
    // Each of three members once, as when their nodes are renewed; what fails more often has another cause.
    maxRepairsPerDay: whole('REPAIR_MAX_PER_DAY', 3),
    // Of two members both are needed for quorum: to take one out is to lose the cluster.
    minMembers: whole('REPAIR_MIN_MEMBERS', 3, 3),
    crontab: text('REPAIR_CRONTAB') ?? '*/15 * * * * *',
    snapshotDir: text('REPAIR_SNAPSHOT_DIR') ?? '/snapshots',
    snapshotsKept: whole('REPAIR_SNAPSHOTS_KEPT', 3),
    snapshotTimeoutMs: 1000 * whole('REPAIR_SNAPSHOT_TIMEOUT_SECONDS', 300),
    snapshotMaxAgeMs: 1000 * whole('REPAIR_SNAPSHOT_MAX_AGE_SECONDS', 300),
    accountDir: text('REPAIR_ACCOUNT_DIR') ?? '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  problems.push(...unreadable(['ETCDCTL_CACERT', 'ETCDCTL_CERT', 'ETCDCTL_KEY'], text));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

function unreadable(names: readonly string[], text: (name: string) => string | undefined): readonly string[] {
  return names
    .map((name) => ({ name, path: text(name) }))
    .filter(({ path }) => path !== undefined && !isReadable(path))
    .map(
      ({ name, path }) => `${name} is "${path}", which cannot be read: mount the Secret with the certificates there`,
    );
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
