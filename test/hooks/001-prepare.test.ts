import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';
import { startShippedHooks } from '../support/shipped-hooks.ts';

const SETTINGS = '/api/v1/namespaces/default/configmaps/hooklet-settings';

describe('001-prepare.sh', { timeout: 60_000 }, () => {
  it('makes the settings, and a folder for backups that is for nobody else', async () => {
    await using hooks = await startShippedHooks();

    await until(async () => expect(await hooks.get(SETTINGS)).toMatchObject({ data: { keepBackups: '3' } }));

    expect(statSync(hooks.backupDir).mode & 0o777).toBe(0o700);
    expect(hooks.printed()).toContain(
      `backups go to ${hooks.backupDir}, settings are in ConfigMap default/hooklet-settings`,
    );
  });

  it('leaves settings that somebody made', async () => {
    const metadata = { name: 'hooklet-settings', namespace: 'default' };
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { keepBackups: '9' } };
    await using hooks = await startShippedHooks({ before: [settings] });

    await until(async () => expect((await fetch(`${hooks.operator.url()}/readyz`)).status).toBe(200));

    expect(await hooks.get(SETTINGS)).toMatchObject({ data: { keepBackups: '9' } });
  });

  it('holds everything back and says why when backups cannot be written', async () => {
    using tmp = temporaryFolder();
    // A file where the folder should be stops root too.
    const file = join(tmp.path, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o444);
    await using hooks = await startShippedHooks({ env: { BACKUP_DIR: join(file, 'backups') } });

    await until(() =>
      expect(hooks.printed()).toContain(
        `cannot write backups to ${join(file, 'backups')}: mount a writable volume there, or set BACKUP_DIR`,
      ),
    );

    expect((await fetch(`${hooks.operator.url()}/readyz`)).status).toBe(503);
    expect(await hooks.get(SETTINGS)).toBeUndefined();
  });
});
