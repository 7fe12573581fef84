import type { BackupRig } from './310-backup-rig.ts';

/** What a test says of a Backup; the rest is as it should be. */
export interface BackupParts {
  readonly destination?: object;
  readonly [field: string]: unknown;
}

/** A Backup of PostgreSQL that comes at no tick by itself. */
export function backupOf(rig: Pick<BackupRig, 'host'>, name: string, parts: BackupParts = {}): object {
  const { destination = {}, ...spec } = parts;
  const bucket = { endpoint: `http://${rig.host('s3')}:7070`, bucket: 'backups', secretName: 's3' };
  return {
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'Backup',
    metadata: { name },
    spec: {
      schedule: '0 0 29 2 *',
      source: { postgresql: { host: rig.host('postgresql'), database: 'app', secretName: 'postgresql' } },
      destination: { ...bucket, ...destination },
      retries: 0,
      ...spec,
    },
  };
}
