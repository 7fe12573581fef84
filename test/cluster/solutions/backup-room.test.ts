import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backupFolder, nameOf, backupSolution, tickOf, type BackupFolder } from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { asNobody, startPostgresql } from './backup-postgresql.ts';
import { startRedis, type RedisServer } from './backup-redis.ts';
import { limitMemory } from './memory-limit.ts';

const LIMIT_MS = 300_000;
const MIB = 1024 * 1024;
const hookOf = (database: string): string => join(backupSolution, 'hooks', database, 'backup.sh');

let folder: BackupFolder;

beforeEach(() => {
  folder = backupFolder();
});

interface Run {
  readonly hook: string;
  readonly env: Readonly<Record<string, string>>;
}

async function backUp({ hook, env }: Run): Promise<ScriptResult> {
  const path = join(folder.root, 'hook.sh');
  writeFileSync(path, hook, { mode: 0o755 });
  return runScript(path, { contexts: [tickOf(1)], env: { ...folder.env, ...env } });
}

const published = (database: string): readonly string[] => {
  const target = join(folder.root, 'backups', 'default', database);
  return existsSync(target) ? readdirSync(target).filter((name) => name.startsWith('2')) : [];
};

/** Sets of integers, which take 4 bytes each here, and twenty times that in a server with default settings. */
async function fillWithNumbers({ ask }: RedisServer, count: number): Promise<void> {
  await ask('CONFIG', 'SET', 'set-max-intset-entries', '1000000');
  await ask('EVAL', NUMBERS, '0', String(count));
}

const NUMBERS = `
for first = 1, tonumber(ARGV[1]), 1000 do
  local words = {}
  for i = 0, 999 do words[#words + 1] = 1000000 + first + i end
  redis.call('SADD', 'numbers:' .. math.floor(first / 100000), unpack(words))
end`;

describe('a backup of Redis that the memory of the container is too small for', { timeout: LIMIT_MS }, () => {
  it('is refused before its dump is begun', async () => {
    await using server = await startRedis();
    await server.ask('EVAL', `for i = 1, 100 do redis.call('SET', i, string.rep('x', ${MIB})) end`, '0');
    await using limit = limitMemory(96 * MIB);

    const run = await backUp({ hook: limit.around(hookOf('redis')), env: server.env });

    expect(run.failure).toMatch(
      /MemoryTooSmall: redis, step check: the verification of Redis .* needs about \d+ bytes/,
    );
    expect(run.failure).toContain(`the container may have ${96 * MIB} bytes`);
    expect(run.failure).toContain('raise limits.memory of the Deployment, or set BACKUP_VERIFY=read');
    expect(run.printed).not.toContain('step dump');
    expect(JSON.parse(run.patch).object.reason).toBe('BackupMemoryTooSmall');
  });

  it('is made when it is not restored to memory', async () => {
    await using server = await startRedis();
    await server.ask('EVAL', `for i = 1, 100 do redis.call('SET', i, string.rep('x', ${MIB})) end`, '0');
    await using limit = limitMemory(96 * MIB);

    const env = { ...server.env, BACKUP_VERIFY: 'read' };
    const { failure } = await backUp({ hook: limit.around(hookOf('redis')), env });

    expect(failure).toBeUndefined();
    expect(published('redis')).toEqual([nameOf(1)]);
  });

  it('ends with a reason, and not by the kernel, when it takes more than was expected', async () => {
    await using server = await startRedis();
    await fillWithNumbers(server, 3_000_000);
    await using limit = limitMemory(128 * MIB);

    const run = await backUp({ hook: limit.around(hookOf('redis')), env: server.env });

    expect(run.failure).toMatch(
      /MemoryTooSmall: redis, step verify: .*takes more memory than there is: the container may have \d+ bytes/,
    );
    expect(run.failure).not.toContain('Killed');
    expect(JSON.parse(run.patch).object.reason).toBe('BackupMemoryTooSmall');
    expect(published('redis')).toEqual([]);
  });
});

describe('a backup of a small PostgreSQL', { timeout: LIMIT_MS }, () => {
  it('is refused where a new server has no room beside it', async () => {
    await using server = await startPostgresql();
    const env = { ...server.env, PGDATABASE: 'postgres', BACKUP_SCRATCH_LIMIT: String((32 + 60) * MIB) };

    const { failure } = await backUp({ hook: asNobody(hookOf('postgresql')), env });

    expect(failure).toMatch(
      /ScratchFull: postgresql, step check: dump and verification of \d+ bytes may need \d+ bytes/,
    );
  });
});
