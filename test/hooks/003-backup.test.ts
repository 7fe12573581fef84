import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt } from '@hooklet/sandbox/testing';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';
import { runScript } from '../support/script-rig.ts';
import { labelledConfigMap, labelledSecret, startShippedHooks } from '../support/shipped-hooks.ts';

const script = fileURLToPath(new URL('../../hooks/003-backup.sh', import.meta.url));
const everySecond = { BACKUP_CRONTAB: '* * * * * *' };
const settings = (keepBackups: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'hooklet-settings', namespace: 'default' },
  data: { keepBackups },
});
const complaint = (keepBackups: string): string =>
  `keepBackups in ConfigMap hooklet-settings is "${keepBackups}": set it to a number from 1 to 9999`;
const item = { object: labelledConfigMap('registry', { url: 'one' }) };
const tick = (keepBackups: string, configmaps: readonly unknown[]) => ({
  binding: 'backup',
  type: 'Schedule',
  snapshots: { settings: [{ filterResult: { keepBackups } }], configmaps, secrets: [] },
});
const backupsIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('backup-')) : [];

describe('003-backup.sh', { timeout: 60_000 }, () => {
  it('writes what is labelled, in a form that can be applied, and keeps no more backups than it is told', async () => {
    const beganAtSeconds = Math.floor(Date.now() / 1000);
    const owned = labelledConfigMap('registry', { url: 'one' });
    const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: 'default' } };
    await using hooks = await startShippedHooks({
      env: everySecond,
      before: [settings('1'), other, owned, labelledSecret('login', { user: 'reader' })],
    });
    const { uid } = objectAt(await hooks.get('/api/v1/namespaces/default/configmaps/other'), 'metadata');
    await hooks.sandbox.call(
      'PATCH',
      '/api/v1/namespaces/default/configmaps/registry',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: uid ?? '' }] } },
      'application/merge-patch+json',
    );
    const ends = ['with 2 objects, removed 0 old', 'with 2 objects, removed 1 old'];
    await until(() => expect(ends.every((end) => hooks.printed().some((line) => line.endsWith(end)))).toBe(true));
    const lastSuccess = await hooks.metric('hooklet_backup_last_success_timestamp_seconds');
    expect(lastSuccess).toBeGreaterThanOrEqual(beganAtSeconds);
    expect(lastSuccess).toBeLessThanOrEqual(Date.now() / 1000);
    expect(await hooks.metric('hooklet_backup_objects')).toBe(2);
    await hooks.operator.stop();
    expect(backupsIn(hooks.backupDir)).toHaveLength(1);

    const file = join(hooks.backupDir, backupsIn(hooks.backupDir).at(-1) ?? '');
    const backup: { readonly kind: string; readonly items: readonly JsonObject[] } = JSON.parse(
      readFileSync(file, 'utf8'),
    );

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(backup.kind).toBe('List');
    const labels = { 'hooklet.dev/copy': 'true' };
    expect(backup.items).toEqual([
      { ...owned, metadata: { name: 'registry', namespace: 'default', labels } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'login', namespace: 'default', labels },
        type: 'Opaque',
        data: { user: Buffer.from('reader').toString('base64') },
      },
    ]);
    for (const item of backup.items) await hooks.sandbox.apply(item);
  });

  it('keeps the last backups only, and leaves files that are none of its own', async () => {
    using tmp = temporaryFolder();
    const old = ['backup-20200101T000000Z.json', 'backup-20200102T000000Z.json', 'backup-20200103T000000Z.json'];
    for (const name of [...old, 'backup-notes.json', '.backup-20200101T000000Z.tmp']) {
      writeFileSync(join(tmp.path, name), '{}');
    }

    const { printed } = await runScript(script, { contexts: [tick('2', [item])], env: { BACKUP_DIR: tmp.path } });

    expect(printed).toEqual([expect.stringMatching(/^wrote .* with 1 objects, removed 2 old$/)]);
    expect(readdirSync(tmp.path).toSorted()).toEqual([
      'backup-20200103T000000Z.json',
      expect.stringMatching(/^backup-\d{8}T\d{6}Z\.json$/),
      'backup-notes.json',
    ]);
  });

  it('throws away a backup that does not hold everything, and keeps the older ones', async () => {
    using tmp = temporaryFolder();
    writeFileSync(join(tmp.path, 'backup-20200101T000000Z.json'), '{}');
    // A disk that swallows what is written.
    const mute = `#!/bin/sh\ncase $* in *del*) echo '{"items": []}' ;; *) exec "$HOOKLET" jq "$@" ;; esac\n`;

    const result = await runScript(script, {
      contexts: [tick('1', [item])],
      env: { BACKUP_DIR: tmp.path },
      programs: { jq: mute },
    });

    expect(result.failure).toContain('the backup does not hold what is in the cluster, it is thrown away');
    expect(readdirSync(tmp.path)).toEqual(['backup-20200101T000000Z.json']);
  });

  it('fails clearly, and deletes nothing, when keepBackups is no number', async () => {
    using tmp = temporaryFolder();
    const folder = join(tmp.path, 'backups');
    mkdirSync(folder);
    writeFileSync(join(folder, 'backup-20200101T000000Z.json'), '{}');
    await using hooks = await startShippedHooks({
      env: { ...everySecond, BACKUP_DIR: folder },
      before: [settings('three'), labelledConfigMap('registry', { url: 'one' })],
    });

    await until(() => expect(hooks.printed()).toContain(complaint('three')));

    expect(readdirSync(folder)).toEqual(['backup-20200101T000000Z.json']);
    expect(await hooks.metric('hooklet_backup_objects')).toBeUndefined();
  });

  it.each(['', '0', '00', '-1', '08', '*', '10000000000000000000'])(
    'takes "%s" for no number of backups',
    async (keepBackups) => {
      using tmp = temporaryFolder();
      const result = await runScript(script, {
        contexts: [tick(keepBackups, [item])],
        env: { BACKUP_DIR: tmp.path },
      });

      expect(result.failure).toContain(complaint(keepBackups));
    },
  );

  it('writes no empty backup, so that the last one with something in it is not pushed out', async () => {
    using tmp = temporaryFolder();

    const result = await runScript(script, { contexts: [tick('3', [])], env: { BACKUP_DIR: tmp.path } });

    expect(result.printed).toEqual(['nothing has the label hooklet.dev/copy=true, so no backup is written']);
    expect(readdirSync(tmp.path)).toEqual([]);
    expect(JSON.parse(result.metrics)).toEqual({ name: 'hooklet_backup_objects', set: 0 });
  });
});
