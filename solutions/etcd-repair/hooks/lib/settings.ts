import { resolve } from 'node:path';
import { environment, file, integer, oneOf, text } from 'hooklet';

export const STATE_ANNOTATION = 'etcd-repair.hooklet.dev/state';
export const REPAIRS_ANNOTATION = 'etcd-repair.hooklet.dev/repairs';
export const PAUSE_ANNOTATION = 'etcd-repair.hooklet.dev/pause';

/** The settings of README.md, with defaults filled in. */
export interface Settings {
  readonly statefulset: string;
  readonly namespace: string;
  readonly clientScheme: 'http' | 'https';
  readonly clientPort: number;
  /** Where `/debug/vars` and `/metrics` are. */
  readonly httpPort: number;
  readonly peerScheme: 'http' | 'https';
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

const MOST = 999_999_999;
const whole = (byDefault: number, min = 1) => integer({ min, max: MOST, default: byDefault });
const PORTS = { min: 1, max: 65_535 };
/** Of a single call; a timer of Node cannot count 25 days. */
const limit = (byDefault: number) => integer({ min: 1, max: 86_400, default: byDefault });
const NAME = /[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/;
const name = (byDefault: string) => text({ pattern: NAME, default: byDefault, expected: 'the name of an object' });
// Its numbers are judged with the other bindings; what has too few fields is told with the other settings.
const CRONTAB = /@\w+(?: \w+)?|(?:(?:CRON_)?TZ=\S+ +)?\S+(?: +\S+){4,5}/;
const scheme = oneOf(['http', 'https'], { default: 'http' });
const named = file({ optional: true, expected: 'mount the Secret with the certificates there' });
/** etcdctl takes the path of a file from the folder of the hook as well. */
const certificate: typeof named = { ...named, read: (path) => named.read(resolve(path)) };

/** Those of README.md, but for user and password, which etcdctl judges. */
export const VARIABLES = {
  ETCD_STATEFULSET: name('etcd'),
  POD_NAMESPACE: name('default'),
  ETCD_CLIENT_SCHEME: scheme,
  ETCD_CLIENT_PORT: integer({ ...PORTS, default: 2379 }),
  ETCD_HTTP_PORT: integer({ ...PORTS, optional: true }),
  ETCD_PEER_SCHEME: scheme,
  ETCD_PEER_PORT: integer({ ...PORTS, default: 2380 }),
  ETCD_DOMAIN: text({ pattern: /[A-Za-z0-9.-]{1,253}/, optional: true, expected: 'a domain such as etcd.db.svc' }),
  ETCD_DATA_CLAIM: text({ pattern: NAME, optional: true, expected: 'the name of a claim template' }),
  ETCD_MARKER: name('etcd-cluster'),
  ETCD_TIMEOUT_SECONDS: limit(3),
  ETCD_HASH_TIMEOUT_SECONDS: limit(60),
  // A dead node's Pod is given up after 350 seconds, its volume 360 later: until then it may move with its data.
  REPAIR_AFTER_SECONDS: whole(900),
  REPAIR_JOIN_SECONDS: whole(600),
  // Each of three members once, as when their nodes are renewed; what fails more often has another cause.
  REPAIR_MAX_PER_DAY: whole(3),
  // Of two members both are needed for quorum: to take one out is to lose the cluster.
  REPAIR_MIN_MEMBERS: whole(3, 3),
  REPAIR_CRONTAB: text({ pattern: CRONTAB, default: '*/15 * * * * *', expected: 'a crontab of five or six fields' }),
  REPAIR_SNAPSHOT_DIR: text({ default: '/snapshots' }),
  REPAIR_SNAPSHOTS_KEPT: whole(3),
  REPAIR_SNAPSHOT_TIMEOUT_SECONDS: limit(300),
  REPAIR_SNAPSHOT_MAX_AGE_SECONDS: whole(300),
  REPAIR_ACCOUNT_DIR: text({ default: '/var/run/secrets/kubernetes.io/serviceaccount' }),
  ETCDCTL_CACERT: certificate,
  ETCDCTL_CERT: certificate,
  ETCDCTL_KEY: certificate,
};

/** Throws one error with all invalid values. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = environment(VARIABLES, { env });
  return {
    statefulset: given.ETCD_STATEFULSET,
    namespace: given.POD_NAMESPACE,
    clientScheme: given.ETCD_CLIENT_SCHEME,
    clientPort: given.ETCD_CLIENT_PORT,
    httpPort: given.ETCD_HTTP_PORT ?? given.ETCD_CLIENT_PORT,
    peerScheme: given.ETCD_PEER_SCHEME,
    peerPort: given.ETCD_PEER_PORT,
    domain: given.ETCD_DOMAIN,
    dataClaim: given.ETCD_DATA_CLAIM,
    marker: given.ETCD_MARKER,
    timeoutMs: 1000 * given.ETCD_TIMEOUT_SECONDS,
    hashTimeoutMs: 1000 * given.ETCD_HASH_TIMEOUT_SECONDS,
    repairAfterMs: 1000 * given.REPAIR_AFTER_SECONDS,
    joinWithinMs: 1000 * given.REPAIR_JOIN_SECONDS,
    maxRepairsPerDay: given.REPAIR_MAX_PER_DAY,
    minMembers: given.REPAIR_MIN_MEMBERS,
    crontab: given.REPAIR_CRONTAB,
    snapshotDir: given.REPAIR_SNAPSHOT_DIR,
    snapshotsKept: given.REPAIR_SNAPSHOTS_KEPT,
    snapshotTimeoutMs: 1000 * given.REPAIR_SNAPSHOT_TIMEOUT_SECONDS,
    snapshotMaxAgeMs: 1000 * given.REPAIR_SNAPSHOT_MAX_AGE_SECONDS,
    accountDir: given.REPAIR_ACCOUNT_DIR,
  };
}
