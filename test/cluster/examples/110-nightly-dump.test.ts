import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runHook, type HookRunResult } from '../../../src/testing/index.ts';
import { examplesDir } from '../../support/example-rig.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { startPostgresql, type PostgresqlServer } from '../solutions/backup-postgresql.ts';

let server: PostgresqlServer;

beforeAll(async () => {
  server = await startPostgresql();
  await server.sql('create table notes as select n, md5(n::text) as text from generate_series(1, 1000) as n');
}, 200_000);
afterAll(async () => server[Symbol.asyncDispose]());

describe.each(['hooks/nightly-dump.sh', 'typescript/nightly-dump.ts'])('the nightly dump of %s', (path) => {
  const hook = join(examplesDir, '110-nightly-dump', path);

  function dumps() {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const env = { ...server.env, PGDATABASE: 'postgres', DUMP_DIR: folder.path, DUMP_KEEP: '1' };
    return {
      folder: folder.path,
      night: async (day: number, more: Readonly<Record<string, string>> = {}): Promise<HookRunResult> => {
        const context = { binding: 'dump', type: 'Schedule', scheduledAt: `2026-03-0${day}T03:00:00.000Z` };
        return runHook(hook, { contexts: [context], env: { ...env, ...more } });
      },
      names: () => readdirSync(folder.path).toSorted(),
    };
  }

  it('can be restored, is made once for a night, and only the newest are kept', async () => {
    const { folder, night, names } = dumps();

    for (const day of [1, 2]) expect((await night(day)).outcome).toBe('done');
    const before = readFileSync(join(folder, '20260302T030000Z.dump'));
    await night(2);

    expect(names()).toEqual(['20260302T030000Z.dump']);
    expect(readFileSync(join(folder, '20260302T030000Z.dump'))).toEqual(before);
    const database = `restored_${path.length}`;
    await server.sql(`create database ${database}`);
    execFileSync('pg_restore', [`--dbname=${database}`, join(folder, '20260302T030000Z.dump')], {
      env: { ...process.env, ...server.env },
    });
    expect(await server.sql('select count(*), max(n) from notes', database)).toBe('1000|1000');
  });

  it('removes no dump while the database cannot be dumped, and never that of its own night', async () => {
    const { folder, night, names } = dumps();
    // As a clock that was wrong would have named it.
    writeFileSync(join(folder, '20310101T030000Z.dump'), 'whole');
    writeFileSync(join(folder, '.partial-20260301T030000Z'), 'of a run that was killed');

    expect((await night(1, { PGPASSWORD: 'wrong' })).outcome).toBe('failed');
    expect(names()).not.toContain('20260301T030000Z.dump');
    expect(names()).toContain('20310101T030000Z.dump');

    await night(1);
    expect(names()).toEqual(['20260301T030000Z.dump', '20310101T030000Z.dump']);
  });
});
