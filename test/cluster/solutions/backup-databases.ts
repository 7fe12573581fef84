/**
 * A Secret, a Service and a StatefulSet for each of PostgreSQL, Redis, etcd and an S3 server, as a user may have
 * them.
 */
export const DATABASES: readonly object[] = [
  ...server('postgresql', {
    port: 5432,
    runAsUser: 65_532,
    script: `PATH=$PATH:$(printf '%s\\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
[ -s /data/db/PG_VERSION ] || {
  initdb --pgdata=/data/db --username=postgres --auth=trust --no-sync --encoding=UTF8 --locale=C
  echo 'host all all all scram-sha-256' > /data/db/pg_hba.conf
  echo 'local all all trust' >> /data/db/pg_hba.conf
}
exec postgres -D /data/db -k /tmp -c listen_addresses='*' -c fsync=off`,
    ready: 'psql -h /tmp -U postgres -d postgres -c "select 1"',
  }),
  ...server('redis', {
    port: 6379,
    script: `exec redis-server --port 6379 --dir /data --save '' --requirepass redis-secret --repl-diskless-sync-delay 0`,
    ready: 'REDISCLI_AUTH=redis-secret redis-cli PING | grep PONG',
  }),
  ...server('etcd', {
    port: 2379,
    script: `exec etcd --name etcd-0 --data-dir /data/etcd --unsafe-no-fsync --log-level warn \\
  --listen-client-urls http://0.0.0.0:2379 --advertise-client-urls http://etcd-0.etcd:2379`,
    ready: 'etcdctl endpoint health',
  }),
  ...server('s3', {
    port: 7070,
    script: `mkdir -p /data/backups; exec versitygw --access access --secret s3-secret --port 0.0.0.0:7070 posix /data`,
    ready: 'echo > /dev/tcp/localhost/7070',
  }),
  secret('backup-postgresql', { PGUSER: 'backup', PGPASSWORD: 'postgresql-secret' }),
  secret('backup-redis', { REDIS_PASSWORD: 'redis-secret' }),
  secret('backup-s3', { AWS_ACCESS_KEY_ID: 'access', AWS_SECRET_ACCESS_KEY: 's3-secret' }),
];

interface Server {
  readonly port: number;
  readonly script: string;
  readonly ready: string;
  readonly runAsUser?: number;
}

function server(name: string, { port, script, ready, runAsUser }: Server): readonly object[] {
  const labels = { app: name };
  const securityContext = runAsUser === undefined ? {} : { runAsUser, fsGroup: runAsUser };
  const container = {
    name,
    image: 'database',
    command: ['bash', '-c', script],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    readinessProbe: { exec: { command: ['bash', '-c', ready] }, periodSeconds: 1, timeoutSeconds: 5 },
  };
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '128Mi' } } };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { clusterIP: 'None', selector: labels, ports: [{ port }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name },
      spec: {
        serviceName: name,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { terminationGracePeriodSeconds: 2, securityContext, containers: [container] },
        },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      },
    },
  ];
}

function secret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
}
