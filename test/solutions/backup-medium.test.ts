import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupFolder, fileBackupHook, nameOf, tickOf } from '../support/backup-folder.ts';
import { runScript } from '../support/script-rig.ts';

// Runs the real program of the same name, which comes later in the PATH.
const REAL = 'PATH=${PATH#*:}; exec "${0##*/}" "$@"';

// The page cache has what was written, but the medium does not: it is read once the cache is dropped.
const FORGETTING_DD = `#!/bin/sh
case "$*" in
  *iflag=nocache*count=0*) for word; do case $word in if=*) echo damaged > "\${word#if=}" ;; esac; done ;;
esac
${REAL}
`;

// Records which files were synced.
const NOTING_SYNC = `#!/bin/sh
printf '%s\\n' "$@" >> "$SYNCED"
${REAL}
`;

// As after a power failure: a file that is renamed before it was synced is empty.
const POWERLESS_MV = `#!/bin/sh
from=$1
[ "$from" != -T ] || from=$2
find "$from" -type f | while read -r file; do grep -qxF "$file" "$SYNCED" || : > "$file"; done
${REAL}
`;

describe('a backup on a volume', { timeout: 60_000 }, () => {
  it('is not published when the medium has something else than memory', async () => {
    const { root, env } = backupFolder();

    const result = await runScript(fileBackupHook, { contexts: [tickOf(1)], env, programs: { dd: FORGETTING_DD } });

    expect(result.failure).toContain('UploadDamaged: file, step compare: ');
    expect(existsSync(join(root, 'backups', 'default', 'file', nameOf(1)))).toBe(false);
  });

  it('survives a loss of power at once, and so does latest.json', async () => {
    const { root, env } = backupFolder();
    const programs = { sync: NOTING_SYNC, mv: POWERLESS_MV };

    await runScript(fileBackupHook, {
      contexts: [tickOf(1)],
      env: { ...env, SYNCED: join(root, 'synced') },
      programs,
    });

    const folder = join(root, 'backups', 'default', 'file');
    expect(readdirSync(join(folder, nameOf(1)))).toEqual(['dump.txt', 'manifest.json']);
    expect(readFileSync(join(folder, nameOf(1), 'dump.txt'), 'utf8')).toBe('the data');
    const manifest = readFileSync(join(folder, nameOf(1), 'manifest.json'), 'utf8');
    expect(manifest).toContain('"bytes":8,');
    expect(readFileSync(join(folder, 'latest.json'), 'utf8')).toBe(manifest);
  });
});
