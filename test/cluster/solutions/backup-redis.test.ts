import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { backupFolder, backupSolution, tickOf, type BackupFolder } from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { startRedis, type RedisServer } from './backup-redis.ts';

const LIMIT_MS = 300_000;
const HOOK = join(backupSolution, 'hooks', 'redis', 'backup.sh');
const RESTORE = join(backupSolution, 'restore', 'redis.sh');
const TTL_MS = 3_600_000;

const library = (name: string, answer: string): string =>
  `#!lua name=${name}\nredis.register_function('${name}', function() return '${answer}' end)`;

let folder: BackupFolder;

beforeEach(() => {
  folder = backupFolder();
});

async function started(dataFolder?: string, databases?: number): Promise<RedisServer> {
  const server = await startRedis(dataFolder, databases);
  onTestFinished(async () => server[Symbol.asyncDispose]());
  return server;
}

async function backUp({ env }: RedisServer): Promise<ScriptResult> {
  return runScript(HOOK, { contexts: [tickOf(1)], env: { ...folder.env, ...env } });
}

async function restore({ env }: RedisServer, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(RESTORE, args, { env: { ...process.env, ...folder.env, ...env } });
  return stdout;
}

function manifests(): readonly object[] {
  const target = join(folder.root, 'backups', 'default', 'redis');
  const names = readdirSync(target).filter((name) => name.startsWith('2'));
  return names.map((name) => JSON.parse(readFileSync(join(target, name, 'manifest.json'), 'utf8')));
}

/** Everything that an RDB file can contain, with every type of Redis 7. */
async function fill({ ask }: RedisServer): Promise<void> {
  await ask('FUNCTION', 'LOAD', library('first', 'one'));
  await ask('FUNCTION', 'LOAD', library('second', 'two'));
  await ask('SET', 'text', 'hello');
  await ask('SET', 'with a time', 'soon gone', 'PX', String(TTL_MS));
  await ask('RPUSH', 'list', 'a', 'b', 'c');
  await ask('HSET', 'hash', 'field', 'value');
  await ask('SADD', 'set', '1', '2', '3');
  await ask('ZADD', 'sorted', '1.5', 'a', '2.5', 'b');
  await ask('PFADD', 'log', 'a', 'b');
  await ask('-n', '7', 'SET', 'elsewhere', 'in seven');
  for (const name of ['a', 'b', 'c']) await ask('XADD', 'stream', '*', 'name', name);
  await ask('XGROUP', 'CREATE', 'stream', 'group', '0');
  await ask('XREADGROUP', 'GROUP', 'group', 'reader', 'COUNT', '2', 'STREAMS', 'stream', '>');
  await ask('XDEL', 'stream', (await ask('XRANGE', 'stream', '-', '+')).split('\n')[0] ?? '');
}

async function contentOf({ ask }: RedisServer): Promise<readonly string[]> {
  const keys = (await ask('KEYS', '*')).split('\n').toSorted();
  const dumps = await Promise.all(keys.map(async (key) => `${key} ${await ask('EVAL', DUMP, '1', key)}`));
  const functions = await ask('FCALL', 'first', '0');
  const group = await ask('XINFO', 'STREAM', 'stream', 'FULL');
  // When a consumer was last seen depends on the server that is asked.
  const lasting = group.replaceAll(/^(?:seen-time|active-time)\n\d+$/gm, '');
  return [...dumps, functions, await ask('FCALL', 'second', '0'), lasting, await ask('-n', '7', 'GET', 'elsewhere')];
}

const FILL = `for i = 1, ARGV[1] do redis.call('SET', 'key' .. i, string.rep('x', 1000)) end`;
const FORGETFUL_CLI = `#!/bin/bash
PATH=\${PATH#*:}
redis-cli "$@" | sed 's/^maxmemory:.*/maxmemory:0/'
exit \${PIPESTATUS[0]}
`;
const DUMP = `return redis.sha1hex(redis.call('DUMP', KEYS[1]))`;

describe('a backup of Redis', { timeout: LIMIT_MS }, () => {
  it('comes back key by key with functions, groups of streams, times to live and databases', async () => {
    const server = await started();
    await fill(server);
    const before = await contentOf(server);

    expect((await backUp(server)).failure).toBeUndefined();
    const other = await started();
    const said = await restore(other);

    expect(said).toContain('with 9 keys and 2 libraries of functions');
    expect(await contentOf(other)).toEqual(before);
    const left = Number(await other.ask('PTTL', 'with a time'));
    expect(left).toBeGreaterThan(TTL_MS - LIMIT_MS);
    expect(left).toBeLessThanOrEqual(Number(await server.ask('PTTL', 'with a time')) + 1000);
    expect(manifests()).toMatchObject([{ verified: 'yes', counts: { keys: 9, libraries: 2 } }]);
  });

  it('comes back as a file with all of it, too', async () => {
    const server = await started();
    await fill(server);
    const before = await contentOf(server);
    await backUp(server);
    const data = join(folder.root, 'data');
    mkdirSync(data);

    await restore(server, '--into', data);

    expect(await contentOf(await started(data))).toEqual(before);
  });

  it('takes the place of the functions that are there, only when it is told to, and saves them first', async () => {
    const server = await started();
    await server.ask('FUNCTION', 'LOAD', library('first', 'one'));
    await backUp(server);
    await server.ask('FUNCTION', 'LOAD', 'REPLACE', library('first', 'another'));
    await server.ask('FUNCTION', 'LOAD', library('younger', 'than the backup'));

    await expect(restore(server)).rejects.toThrow(/Refused: .* has 0 keys and 2 libraries of functions: with --force/);
    expect(await server.ask('FCALL', 'first', '0')).toBe('another');
    await restore(server, '--force');

    expect(await server.ask('FCALL', 'first', '0')).toBe('one');
    expect(await server.ask('FUNCTION', 'LIST')).not.toContain('younger');
    const target = join(folder.root, 'backups', 'default', 'redis');
    const [saved = ''] = readdirSync(target).filter((name) => name.startsWith('before-restore-'));
    const kept = join(folder.root, 'kept');
    await promisify(execFile)('cp', ['-r', join(target, saved), kept]);
    await promisify(execFile)('mv', [join(kept, 'present.rdb'), join(kept, 'dump.rdb')]);
    const then = await started(kept);
    expect(await then.ask('FCALL', 'younger', '0')).toBe('than the backup');
  });

  it('changes nothing where the user may not load functions', async () => {
    const server = await started();
    await server.ask('FUNCTION', 'LOAD', library('first', 'one'));
    await backUp(server);
    await server.ask('SET', 'kept', 'as it is');
    await server.ask('ACL', 'SETUSER', 'restorer', 'on', '>secret', '~*', '+@all', '-function');
    const user = { ...server, env: { ...server.env, REDIS_USERNAME: 'restorer', REDIS_PASSWORD: 'secret' } };

    await expect(restore(user, '--force')).rejects.toThrow(
      /RestoreFailed: .* does not take the functions; the user needs \+function.*nothing was changed: .*NOPERM/s,
    );

    expect(await server.ask('GET', 'kept')).toBe('as it is');
    expect(await server.ask('DBSIZE')).toBe('1');
    expect(await server.ask('FCALL', 'first', '0')).toBe('one');
  });

  it('is not brought back well where the server has lost keys of it', async () => {
    const server = await started();
    await server.ask('EVAL', FILL, '0', '4000');
    await backUp(server);
    const small = await started();
    await small.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await small.ask('CONFIG', 'SET', 'maxmemory', '3mb');
    // As if other clients had filled the server since it was checked.
    const bin = join(folder.root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'redis-cli'), FORGETFUL_CLI, { mode: 0o755 });
    const forgetful = { ...small, env: { ...small.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` } };

    await expect(restore(forgetful)).rejects.toThrow(
      /RestoreFailed: .* has lost keys of the backup: it has \d+ .*, the backup has 4000/,
    );
  });

  it.each([
    ['of 16 databases', ['-n', '40', 'SET', 'high', 'up'], ['TIME'], /has no database 40, .* nothing was changed/],
    [
      'with less memory',
      ['EVAL', FILL, '0', '4000'],
      ['CONFIG', 'SET', 'maxmemory', '3mb'],
      /maxmemory of Redis at .* is 3145728; nothing was changed/,
    ],
  ])('is refused to a server %s before anything there is removed', async (_, filled, made, message) => {
    const server = await started(undefined, 64);
    await server.ask(...filled);
    await backUp(server);
    const other = await started();
    await other.ask('SET', 'kept', 'as it is');
    await other.ask(...made);

    await expect(restore(other, '--force')).rejects.toThrow(message);

    expect(await other.ask('GET', 'kept')).toBe('as it is');
  });

  it('is not published when the file has lost the functions', async () => {
    const server = await started();
    await server.ask('SET', 'a', '1');
    await server.ask('FUNCTION', 'LOAD', library('first', 'one'));
    const forgetful = await started();
    await forgetful.ask('SET', 'a', '1');
    const port = forgetful.env['REDIS_PORT'] ?? '';
    const program = `#!/bin/bash
PATH=\${PATH#*:}
[[ $* != *--rdb* ]] || set -- -p ${port} "\${@: -2}"
exec redis-cli "$@"
`;

    const { failure } = await runScript(HOOK, {
      contexts: [tickOf(1)],
      env: { ...folder.env, ...server.env },
      programs: { 'redis-cli': program },
    });

    expect(failure).toContain('VerifyFailed: redis, step verify: a server that starts with the file has 0 libraries');
    expect(manifests()).toEqual([]);
  });
});
