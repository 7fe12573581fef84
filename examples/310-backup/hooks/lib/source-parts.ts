import type { CommandSource, Source, Task } from './spec.ts';
import { asWritten, given, secret, type Variable } from './variables.ts';

/** What the Pod of a backup has because of its source. */
export interface SourceParts {
  readonly env: readonly Variable[];
  readonly mounts: readonly object[];
  readonly volumes: readonly object[];
}

const NONE: SourceParts = { env: [], mounts: [], volumes: [] };
const OUTPUT = { name: 'output', mountPath: '/output' };
const COMMAND_TMP = { name: 'command-tmp', mountPath: '/tmp' };

/** The settings of a source for a task, and where its data are. A drill never asks the source itself. */
export function sourceParts(source: Source, task: Task): SourceParts {
  const { postgresql, redis, etcd, volume, command } = source;
  if (task === 'remove') return NONE;
  if (postgresql !== undefined) return { ...NONE, env: postgresqlEnv(postgresql, task) };
  if (redis !== undefined) return { ...NONE, env: redisEnv(redis, task) };
  // The restored member has the users of the time of the backup, so a drill logs in as well.
  if (etcd !== undefined) return etcdParts(etcd);
  if (task === 'drill') return NONE;
  if (volume !== undefined) {
    const { claimName, path } = volume;
    return {
      env: given({ VOLUME_PATH: path }),
      mounts: [{ name: 'source', mountPath: '/source', readOnly: true }],
      volumes: [{ name: 'source', persistentVolumeClaim: { claimName, readOnly: true } }],
    };
  }
  const checked = command?.check === undefined ? 'no' : 'yes';
  return { env: given({ COMMAND_CHECKED: checked }), mounts: [OUTPUT], volumes: [OUTPUT, COMMAND_TMP].map(empty) };
}

function empty({ name }: { readonly name: string }): object {
  return { name, emptyDir: {} };
}

function postgresqlEnv(source: NonNullable<Source['postgresql']>, task: Task): readonly Variable[] {
  const { host, port, database, secretName } = source;
  const server = given({ PGHOST: host, PGPORT: port, PGDATABASE: database });
  if (task === 'drill') return [...server, ...given({ PGUSER: 'drill' })];
  return [...server, secret('PGUSER', secretName, 'username'), secret('PGPASSWORD', secretName, 'password')];
}

function redisEnv({ host, port, secretName }: NonNullable<Source['redis']>, task: Task): readonly Variable[] {
  const login = task === 'drill' ? [] : loginOf(secretName, 'REDIS_USERNAME', 'REDIS_PASSWORD');
  return [...given({ REDIS_HOST: host, REDIS_PORT: port }), ...login];
}

function etcdParts({ endpoints, secretName, tlsSecretName }: NonNullable<Source['etcd']>): SourceParts {
  const env = [
    ...given({ ETCDCTL_ENDPOINTS: endpoints.join(',') }),
    ...loginOf(secretName, 'ETCDCTL_USER', 'ETCDCTL_PASSWORD'),
  ];
  if (tlsSecretName === undefined) return { env, mounts: [], volumes: [] };
  const files = {
    ETCDCTL_CACERT: '/etcd-tls/ca.crt',
    ETCDCTL_CERT: '/etcd-tls/tls.crt',
    ETCDCTL_KEY: '/etcd-tls/tls.key',
  };
  return {
    env: [...env, ...given(files)],
    mounts: [{ name: 'etcd-tls', mountPath: '/etcd-tls', readOnly: true }],
    volumes: [{ name: 'etcd-tls', secret: { secretName: tlsSecretName, defaultMode: 0o444 } }],
  };
}

function loginOf(secretName: string | undefined, user: string, password: string): readonly Variable[] {
  if (secretName === undefined) return [];
  return [secret(user, secretName, 'username', true), secret(password, secretName, 'password')];
}

/**
 * The containers that run before the engine: the command, whose standard output becomes the dump, and its check, which
 * reads it. They have neither the keys of the bucket nor the scratch volume.
 */
export function commandContainers({ command }: Source, image: string, securityContext: object): readonly object[] {
  if (command === undefined) return [];
  const steps: readonly (readonly [string, string, readonly string[]])[] = [
    ['command', '"$@" > /output/.dump && mv /output/.dump /output/dump', command.command],
    ...(command.check === undefined ? [] : [['check', '"$@" < /output/dump', command.check] as const]),
  ];
  return steps.map(([name, script, words]) => ({
    name,
    image: command.image ?? image,
    command: ['/bin/sh', '-c', script, 'sh', ...words.map(asWritten)],
    ...envFrom(command),
    securityContext,
    // The engine has another one: nothing but the dump comes from the command.
    volumeMounts: [COMMAND_TMP, OUTPUT],
  }));
}

function envFrom({ secretName }: CommandSource): object {
  return secretName === undefined ? {} : { envFrom: [{ secretRef: { name: secretName } }] };
}
