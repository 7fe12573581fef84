import { readFileSync } from 'node:fs';
import type { NewObject } from 'hooklet';
import {
  backupsOf,
  claim,
  containerOf,
  labelsOf,
  MOUNTS,
  password,
  POD,
  scriptsOf,
  settingsOf,
  TMP,
  VERSION,
} from './pod.ts';
import { majorOf, type SampleDB } from './spec.ts';

const SCRIPTS = ['common.sh', 'pg_hba.conf', 'start.sh', 'configure.sh', 'dump.sh', 'export.sh', 'import.sh'];

function storage(name: string, db: SampleDB, { part, size }: { readonly part: string; readonly size: string }) {
  const { storageClassName } = db.spec.storage;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: db.metadata.namespace ?? '', labels: labelsOf(db.metadata.name, part) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}

interface Data {
  readonly version: string;
  readonly size: string;
}

/** The volume of the data, with the version that the data is of. */
export function dataVolume(db: SampleDB, { version, size }: Data): NewObject {
  const { metadata, ...volume } = storage(`${db.metadata.name}-data`, db, { part: 'data', size });
  return { ...volume, metadata: { ...metadata, annotations: { [VERSION]: version } } };
}

/** The volume of the backups, which has no owner: it stays when the SampleDB is deleted. */
export function backupVolume(db: SampleDB): NewObject {
  return storage(backupsOf(db.metadata.name), db, { part: 'backups', size: db.spec.backup.size });
}

/** How Pods reach the database, and what runs in the Pods of the operator. */
export function configuration({ metadata: { name }, spec }: SampleDB): readonly NewObject[] {
  const connection = { PGHOST: name, PGPORT: '5432', PGDATABASE: spec.database, PGUSER: spec.database };
  const files = SCRIPTS.map((file) => [file, readFileSync(new URL(`scripts/${file}`, import.meta.url), 'utf8')]);
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-connection` }, data: connection },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-scripts` }, data: Object.fromEntries(files) },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labelsOf(name, 'database'), ports: [{ name: 'postgresql', port: 5432 }] },
    },
  ];
}

/** The server, in one version. */
export function server(db: SampleDB, version: string, replicas: 0 | 1): NewObject {
  const { name } = db.metadata;
  const labels = labelsOf(name, 'database');
  // 2 is the answer of a server that is not there; 1 is that of one that recovers, which no restart makes faster.
  const answers = { exec: { command: ['bash', '-c', 'pg_isready -q -h /tmp; [ $? -ne 2 ]'] }, timeoutSeconds: 10 };
  const container = {
    ...containerOf(db, 'postgresql', { version, script: 'start.sh', args: settingsOf(db) }),
    env: [{ name: 'MAJOR', value: String(majorOf(version)) }, password(db, 'ADMIN_PASSWORD', 'adminPassword')],
    ports: [{ name: 'postgresql', containerPort: 5432 }],
    volumeMounts: [...MOUNTS, { name: 'data', mountPath: '/volume' }],
    startupProbe: { ...answers, periodSeconds: 2, failureThreshold: 300 },
    livenessProbe: { ...answers, periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { exec: { command: ['pg_isready', '-q', '-h', '/tmp'] }, periodSeconds: 5, timeoutSeconds: 10 },
  };
  const volumes = [TMP, scriptsOf(name), claim('data', `${name}-data`)];
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      replicas,
      serviceName: name,
      // With OrderedReady a Pod that cannot start is never replaced, also when its template has been mended.
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...POD, containers: [container], volumes } },
    },
  };
}
