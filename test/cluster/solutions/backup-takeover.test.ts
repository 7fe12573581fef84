import { describe, expect, it } from 'vitest';
import { startPostgresql } from './backup-postgresql.ts';
import { backUpPostgresql } from './backup-run.ts';
import { makeHostile } from './backup-takeover.ts';

const LIMIT_MS = 600_000;
// Rights that the superuser granted by mistake, or meant for this server only.
const TRUSTED_THERE = `
grant pg_execute_server_program, pg_read_server_files, pg_write_server_files to mallory;
grant execute on function pg_read_file(text) to public;`;

describe('who owns a database that is backed up', { timeout: LIMIT_MS }, () => {
  it.each([
    ['with nothing granted', 'database', ''],
    ['with nothing granted, in a backup of the whole server', 'cluster', ''],
    ['trusted with files and programs on the server itself', 'database', TRUSTED_THERE],
    ['trusted with those, in a backup of the whole server', 'cluster', TRUSTED_THERE],
  ])('%s: runs no program, reads no key, writes no file', async (_, scope, grants) => {
    await using server = await startPostgresql();
    const { name, marks, scratch } = await makeHostile(server, grants);

    const run = await backUpPostgresql({
      ...server.env,
      PGDATABASE: name,
      POSTGRESQL_SCOPE: scope,
      BACKUP_SCRATCH: scratch,
    });

    expect(marks()).toEqual([]);
    expect(run.said).not.toContain('TAKEN OVER');
    expect(run.failure).toBeUndefined();
    expect(run.manifest).toMatchObject({ verified: 'yes' });
  });
});
