import { BACKUP_LABEL, type Backup, secondsOf, type Source, type Task, TASK_LABEL, UID_LABEL } from './spec.ts';
import { commandContainers, sourceParts } from './source-parts.ts';
import { field, given, secret, type Variable } from './variables.ts';

const SECURITY = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
const USER = 65_532;

/** The labels by which Jobs and Pods of a task are found. */
export function labelsOf({ metadata: { name, uid } }: Backup, task: Task): Readonly<Record<string, string>> {
  return { [BACKUP_LABEL]: name, [UID_LABEL]: uid, [TASK_LABEL]: task };
}

/** The template of a Pod with an engine in it. */
export type EnginePod = ReturnType<typeof podTemplate>;

/** The Pod that does a task once: it has no token, and no more Secrets than the task needs. */
export function podTemplate(backup: Backup, task: Task, image: string) {
  const { source, room } = backup.spec;
  const parts = sourceParts(source, task);
  const runAsUser = source.volume !== undefined && task === 'backup' ? source.volume.runAsUser : USER;
  const limits = { memory: room.memory, 'ephemeral-storage': room.disk };
  const engine = {
    name: 'engine',
    image,
    command: ['bash', '/job/run.sh', task],
    env: [...variables(backup, task), ...parts.env],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: SECURITY,
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, { name: 'scratch', mountPath: '/scratch' }, ...parts.mounts],
  };
  const before = task === 'backup' ? commandContainers(source, image, SECURITY) : [];
  return {
    metadata: { labels: labelsOf(backup, task) },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 60,
      securityContext: {
        runAsNonRoot: true,
        runAsUser,
        runAsGroup: runAsUser,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...(before.length > 0 && { initContainers: before }),
      containers: [engine],
      volumes: [{ name: 'tmp', emptyDir: {} }, { name: 'scratch', emptyDir: {} }, ...parts.volumes],
    },
  };
}

function variables(backup: Backup, task: Task): readonly Variable[] {
  const { spec, metadata } = backup;
  const { keep, keepDays } = spec.retention;
  return [
    ...field('POD_NAME', 'metadata.name'),
    ...field('POD_UID', 'metadata.uid'),
    ...field('POD_NAMESPACE', 'metadata.namespace'),
    ...field('JOB_NAME', "metadata.labels['batch.kubernetes.io/job-name']"),
    ...field('JOB_UID', "metadata.labels['batch.kubernetes.io/controller-uid']"),
    ...given({
      BACKUP_SOURCE: kindOf(spec.source),
      BACKUP_NAME: metadata.name,
      BACKUP_OBJECT_NAME: metadata.name,
      BACKUP_IDENTITY: identityOf(backup),
      BACKUP_SCRATCH: '/scratch',
      BACKUP_VERIFY: { Restore: 'yes', Read: 'read', No: 'no' }[spec.verify],
      BACKUP_KEEP: keep,
      BACKUP_KEEP_DAYS: keepDays,
      BACKUP_TIMEOUT: `${secondsOf(spec.deadline)}s`,
      BACKUP_LOCK_TIMEOUT: `${secondsOf(spec.lockTimeout)}s`,
    }),
    { name: 'BACKUP_SCRATCH_LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.ephemeral-storage' } } },
    ...target(backup),
    ...encryption(backup, task),
    ...(task === 'drill' ? drill(backup) : []),
  ];
}

function target({ spec: { destination }, metadata }: Backup): readonly Variable[] {
  const { endpoint, region, bucket, prefix, folder, takeOver, secretName } = destination;
  return [
    ...given({
      BACKUP_TARGET: 's3',
      BACKUP_FOLDER: folder ?? `${metadata.namespace}/${metadata.name}`,
      BACKUP_TAKE_OVER: takeOver,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: bucket,
      S3_PREFIX: prefix,
    }),
    secret('AWS_ACCESS_KEY_ID', secretName, 'accessKey'),
    secret('AWS_SECRET_ACCESS_KEY', secretName, 'secretKey'),
  ];
}

function encryption({ spec }: Backup, task: Task): readonly Variable[] {
  const { recipients = [], identitySecretName } = spec.encryption ?? {};
  const publicKeys = recipients.length > 0 ? given({ BACKUP_AGE_RECIPIENTS: recipients.join(',') }) : [];
  // A backup needs no private key.
  if (task !== 'drill' || identitySecretName === undefined) return publicKeys;
  return [...publicKeys, secret('BACKUP_AGE_IDENTITY', identitySecretName, 'identity')];
}

function drill({ spec }: Backup): readonly Variable[] {
  const { query, expect, minimum } = spec.drill ?? {};
  return given({ DRILL_QUERY: query, DRILL_EXPECT: expect, DRILL_MINIMUM: minimum });
}

/** PostgreSQL and etcd have identities of their own; the others are known by where they are. */
function identityOf({ spec: { source }, metadata: { namespace = '', name } }: Backup): string | undefined {
  const { redis, volume, command } = source;
  if (redis !== undefined) return `redis/${namespace}/${redis.host}:${redis.port}`;
  if (volume !== undefined) return `volume/${namespace}/${volume.claimName}`;
  return command && `command/${namespace}/${name}`;
}

/** The name of the source that is given. */
export function kindOf(source: Source): string {
  return Object.entries(source).find(([, value]) => value !== undefined)?.[0] ?? '';
}
