import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const script = join(examplesDir, '110-scheduled-backup', 'restore', 'redis.sh');
const BACKUP = '20241101T030000Z-a';
// A Redis without keys, as far as it is asked here; it notes what it is asked.
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
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  root = folder.path;
  const backup = join(root, 'backups', 'redis', BACKUP);
  mkdirSync(backup, { recursive: true });
  writeFileSync(join(backup, 'dump.rdb'), 'the dump');
  const sha256 = createHash('sha256').update('the dump').digest('hex');
  const about = { format: 'hooklet.dev/backup/v1', database: 'redis', backup: BACKUP, file: 'dump.rdb', sha256 };
  writeFileSync(join(backup, 'manifest.json'), JSON.stringify(about));
  const programs = { 'redis-cli': REDIS_CLI, 'redis-server': '#!/bin/sh\nexec sleep 60\n', 'redis-check-rdb': '' };
  const jq = `#!/bin/sh\nexec '${process.execPath}' '${join(examplesDir, '..', 'src', 'main.ts')}' jq "$@"\n`;
  mkdirSync(join(root, 'bin'));
  for (const [name, text] of Object.entries({ ...programs, jq })) {
    writeFileSync(join(root, 'bin', name), text, { mode: 0o755 });
  }
  env = {
    ...process.env,
    PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
    CALLS: join(root, 'calls'),
    REDIS_HOST: 'redis',
    REDIS_PASSWORD: 'very-secret',
    BACKUP_DIR: join(root, 'backups'),
    BACKUP_SCRATCH: join(root, 's').slice(0, 60),
  };
});

const calls = (): string => readFileSync(join(root, 'calls'), 'utf8');

describe('a restore of Redis', { timeout: 30_000 }, () => {
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
});
