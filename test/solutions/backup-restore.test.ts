import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { backupFolder, backupSolution } from '../support/backup-folder.ts';
import { builtMain } from '../support/built-program.ts';

const script = join(backupSolution, 'restore', 'redis.sh');
const BACKUP = '20241101T030000Z-a';
// Stands for a Redis without keys, and records the commands.
const REDIS_CLI = `#!/bin/sh
case "$*" in
  *PING*) echo PONG ;;
  *' EVAL '*) cat >> "$CALLS.input"; [ -z "\${REFUSED:-}" ] || { echo "$REFUSED"; exit 1; } ;;
esac
echo "$*" >> "$CALLS"
`;

let root: string;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  const folder = backupFolder();
  root = folder.root;
  mkdirSync(join(root, 'backups', 'default', 'redis', BACKUP), { recursive: true });
  writeBackup('dump.rdb');
  const programs = { 'redis-cli': REDIS_CLI, 'redis-server': '#!/bin/sh\nexec sleep 60\n', 'redis-check-rdb': '' };
  const jq = `#!/bin/sh\nexec '${process.execPath}' '${builtMain()}' jq "$@"\n`;
  mkdirSync(join(root, 'bin'));
  for (const [name, text] of Object.entries({ ...programs, jq })) {
    writeFileSync(join(root, 'bin', name), text, { mode: 0o755 });
  }
  env = {
    ...process.env,
    ...folder.env,
    PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
    CALLS: join(root, 'calls'),
    REDIS_HOST: 'redis',
    REDIS_PASSWORD: 'very-secret',
  };
});

/** The only backup, with a manifest that names its file. */
function writeBackup(file: string, more: object = {}): void {
  const folder = join(root, 'backups', 'default', 'redis', BACKUP);
  writeFileSync(join(folder, file), 'the dump');
  const sha256 = createHash('sha256').update('the dump').digest('hex');
  const takenAt = '2024-11-01T03:00:00Z';
  const made = { takenAt, file, bytes: 8, sha256, verified: 'yes', counts: {} };
  const about = { format: 'hooklet.dev/backup/v1', database: 'redis', backup: BACKUP, ...made, ...more };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(about));
}

const calls = (): string => readFileSync(join(root, 'calls'), 'utf8');

describe('a restore of Redis', { timeout: 60_000 }, () => {
  it('gives no password as an argument, which everybody on the node may read', async () => {
    await promisify(execFile)(script, { env });

    expect(calls()).toContain('FLUSHALL');
    expect(calls()).not.toContain('very-secret');
    expect(readFileSync(join(root, 'calls.input'), 'utf8')).toBe('very-secretvery-secret');
  });

  it('removes nothing before the server has taken a key', async () => {
    const refused = promisify(execFile)(script, { env: { ...env, REFUSED: 'ERR DUMP payload version' } });

    await expect(refused).rejects.toThrow(/RestoreFailed: .*nothing was changed: ERR DUMP payload version/);
    expect(calls()).not.toContain('FLUSHALL');
  });

  it('calculates with nothing that a manifest calls a number and is none', async () => {
    const bytes = `a[$(touch '${join(root, 'touched')}')]`;
    writeBackup('dump.rdb', { bytes, restoredBytes: bytes });

    await expect(promisify(execFile)(script, { env })).rejects.toThrow(/unreadable manifest .*\n.*NoBackup/);

    expect(existsSync(join(root, 'touched'))).toBe(false);
  });

  it.each(['../../../elsewhere', '../../../dump.rdb', '.rdb', 'dump.rdb.'])(
    'takes nothing for a dump that a manifest calls %s',
    async (file) => {
      writeBackup(file);

      const refused = promisify(execFile)(script, { env });

      await expect(refused).rejects.toThrow(
        `BackupDamaged: redis, step choose: the manifest of backup ${BACKUP} names the file "${file}"`,
      );
      expect(existsSync(join(root, 'calls'))).toBe(false);
    },
  );
});
