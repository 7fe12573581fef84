import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  backupFixtures,
  backupFolder,
  backupSolution,
  tickOf,
  type BackupFolder,
} from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';

const LIMIT_MS = 300_000;
const HOOK = join(backupSolution, 'hooks', 'redis', 'backup.sh');
const DRILL = join(backupSolution, 'hooks', 'redis', 'drill.sh');
const RESTORE = join(backupSolution, 'restore', 'redis.sh');
// Too short to be compressed.
const SECRET_TEXT = 'very private';

interface Key {
  readonly recipient: string;
  readonly identity: string;
}

const running = new AsyncDisposableStack();
let servers: BackupServers;
let keys: readonly [Key, Key, Key];
let folder: BackupFolder;

beforeAll(async () => {
  servers = running.use(await startBackupServers());
  keys = [makeKey(), makeKey(), makeKey()];
}, LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
});

beforeEach(async () => {
  folder = backupFolder();
  await servers.redis('FLUSHALL');
  await servers.redis('SET', 'diary', SECRET_TEXT);
});

function makeKey(): Key {
  const text = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [, recipient = ''] = /# public key: (\S+)/.exec(text) ?? [];
  const [identity = ''] = /^AGE-SECRET-KEY-1\S+$/m.exec(text) ?? [];
  return { recipient, identity };
}

type Target = 'volume' | 's3';
type Env = Readonly<Record<string, string>>;

const envOf = (target: Target, more: Env): Env => ({
  ...folder.env,
  ...servers.env,
  REDIS_HOST: '127.0.0.1',
  REDIS_PORT: String(servers.redisPort),
  BACKUP_TARGET: target,
  // Each test has a folder of its own in the bucket.
  S3_PREFIX: folder.root.split('/').at(-1) ?? '',
  ...more,
});

async function backUp(target: Target, env: Env = { BACKUP_AGE_RECIPIENTS: keys[0].recipient }): Promise<ScriptResult> {
  return runScript(HOOK, { contexts: [tickOf(1)], env: envOf(target, env) });
}

async function restore(target: Target, env: Env, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(RESTORE, args, { env: { ...process.env, ...envOf(target, env) } });
  return stdout;
}

/** All files in the target, by path. */
function stored(target: Target): ReadonlyMap<string, Buffer> {
  const prefix = folder.root.split('/').at(-1) ?? '';
  const root = target === 's3' ? join(servers.bucket, prefix) : join(folder.root, 'backups');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]));
}

function dumpIn(target: Target): string {
  return [...stored(target).keys()].find((path) => path.endsWith('.rdb.age')) ?? '';
}

describe('an encrypted backup', { timeout: LIMIT_MS }, () => {
  it.each(['volume', 's3'] as const)(
    'on %s comes back with the private key, and holds nothing to be read without',
    async (target) => {
      const { failure, printed } = await backUp(target);

      expect(failure).toBeUndefined();
      expect(printed.indexOf('step encrypt')).toBeGreaterThan(printed.indexOf('step verify'));
      for (const [path, content] of stored(target)) expect(content.includes(SECRET_TEXT), path).toBe(false);
      const manifest = [...stored(target)].find(([path]) => path.endsWith('/manifest.json'))?.[1].toString() ?? '';
      expect(JSON.parse(manifest)).toMatchObject({
        verified: 'yes',
        encryption: { tool: 'age', recipients: [keys[0].recipient] },
      });
      expect(manifest).not.toContain('SECRET');
      await servers.redis('FLUSHALL');
      expect(await restore(target, {}, '--list')).toContain(`encrypted for ${keys[0].recipient}`);

      await restore(target, { BACKUP_AGE_IDENTITY: keys[0].identity });

      expect(await servers.redis('GET', 'diary')).toBe(SECRET_TEXT);
      expect(existsSync(join(folder.env['BACKUP_SCRATCH'] ?? '', 'redis-restore'))).toBe(false);
    },
  );

  it('is drilled with the private key, from a file or the environment', async () => {
    await backUp('volume');
    const path = join(folder.root, 'identity');
    writeFileSync(path, keys[0].identity);

    for (const identity of [{ BACKUP_AGE_IDENTITY: keys[0].identity }, { BACKUP_AGE_IDENTITY_FILE: path }]) {
      const drill = { BACKUP_AGE_RECIPIENTS: keys[0].recipient, DRILL_QUERY: 'GET diary', DRILL_EXPECT: SECRET_TEXT };
      const contexts = [tickOf(2, { binding: 'drill', runId: 'drill-1' })];
      const { failure, patch } = await runScript(DRILL, { contexts, env: envOf('volume', { ...drill, ...identity }) });

      expect(failure).toBeUndefined();
      expect(JSON.parse(patch)).toMatchObject({ object: { reason: 'BackupDrillSucceeded' } });
    }
  });

  it('for 2 keys comes back with either, from a file or the environment', async () => {
    await backUp('volume', { BACKUP_AGE_RECIPIENTS: `${keys[0].recipient}, ${keys[1].recipient}` });
    const path = join(folder.root, 'identity');
    writeFileSync(path, `# of operations\n${keys[1].identity}\n`);

    for (const env of [{ BACKUP_AGE_IDENTITY: keys[0].identity }, { BACKUP_AGE_IDENTITY_FILE: path }]) {
      await servers.redis('FLUSHALL');
      await restore('volume', env);
      expect(await servers.redis('GET', 'diary')).toBe(SECRET_TEXT);
    }
  });

  it('is not restored without a key, or with another one: the message says which it needs, and which there is', async () => {
    await backUp('s3');
    await servers.redis('SET', 'diary', 'of today');

    await expect(restore('s3', {}, '--force')).rejects.toThrow(
      new RegExp(`KeyMissing: .* is encrypted for ${keys[0].recipient}: set BACKUP_AGE_IDENTITY`),
    );
    await expect(restore('s3', { BACKUP_AGE_IDENTITY: keys[2].identity }, '--force')).rejects.toThrow(
      new RegExp(
        `WrongKey: .* for ${keys[0].recipient}, and the private key that is given is that of ${keys[2].recipient}`,
      ),
    );
    const almost = keys[0].identity.slice(0, -4);
    const refused = restore('s3', { BACKUP_AGE_IDENTITY: almost }, '--force');
    await expect(refused).rejects.toThrow(/WrongKey: .* there is no private key of age/);
    await expect(refused).rejects.not.toThrow(almost.slice(20, 40));

    expect(await servers.redis('GET', 'diary')).toBe('of today');
  });

  it.each(['step encrypt', 'try EncryptFailed', 'rm "$1"', 'step upload'])(
    'whose run is killed before "%s" is made by the next attempt, and nothing leaves the Pod as it was',
    async (command) => {
      const env = { BACKUP_AGE_RECIPIENTS: keys[0].recipient };
      const killer = { BASH_ENV: join(backupFixtures, 'at-command.sh'), AT_COMMAND: command, THEN: 'kill -KILL 0' };

      expect((await backUp('volume', { ...env, ...killer })).failure).toContain('SIGKILL');
      expect((await backUp('volume', env)).failure).toBeUndefined();

      expect([...stored('volume').keys()].filter((path) => path.includes('dump.'))).toEqual([dumpIn('volume')]);
      await servers.redis('FLUSHALL');
      await restore('volume', { BACKUP_AGE_IDENTITY: keys[0].identity });
      expect(await servers.redis('GET', 'diary')).toBe(SECRET_TEXT);
    },
  );

  it('is as encrypted as what it takes the place of, and is saved', async () => {
    const env = { BACKUP_AGE_RECIPIENTS: keys[0].recipient, BACKUP_AGE_IDENTITY: keys[0].identity };
    await backUp('s3', env);

    await restore('s3', env, '--force');

    const saved = [...stored('s3').keys()].filter((path) => path.includes('/before-restore-'));
    expect(saved).toEqual([expect.stringMatching(/\/present\.rdb\.age$/)]);
    for (const [path, content] of stored('s3')) expect(content.includes(SECRET_TEXT), path).toBe(false);
  });

  it('whose manifest lies about the key is told by age, and not taken for damaged', async () => {
    await backUp('volume');
    const [path = ''] = [...stored('volume').keys()].filter((name) => name.endsWith('/manifest.json'));
    const text = readFileSync(path, 'utf8').replaceAll(keys[0].recipient, keys[2].recipient);
    rmSync(path);
    writeFileSync(path, text);

    await expect(restore('volume', { BACKUP_AGE_IDENTITY: keys[2].identity }, '--force')).rejects.toThrow(
      /WrongKey: .* is whole, but cannot be decrypted with this key: .*no identity matched/,
    );
  });

  it.each([
    ['half of it', (path: string) => truncateSync(path, Math.trunc(readFileSync(path).length / 2))],
    [
      'another byte',
      (path: string) =>
        writeFileSync(
          path,
          readFileSync(path).map((byte, at, all) => (at === all.length - 40 ? 255 - byte : byte)),
        ),
    ],
    ['nothing', (path: string) => truncateSync(path, 0)],
  ])('of which %s is there is damaged, and changes nothing', async (_, damage) => {
    await backUp('volume');
    damage(dumpIn('volume'));
    await servers.redis('SET', 'diary', 'of today');

    await expect(restore('volume', { BACKUP_AGE_IDENTITY: keys[0].identity }, '--force')).rejects.toThrow(
      /BackupDamaged: .* is damaged in the volume/,
    );

    expect(await servers.redis('GET', 'diary')).toBe('of today');
  });

  it('is refused settings that would not encrypt, or give the private key away', async () => {
    const { recipient, identity } = keys[0];
    for (const wrong of ['age1nonsense', `${recipient.slice(0, -1)}x`, `${recipient};age1x`]) {
      const { failure } = await backUp('volume', { BACKUP_AGE_RECIPIENTS: wrong });
      expect(failure).toContain('BadSettings: redis, step start: BACKUP_AGE_RECIPIENTS has "');
    }
    const { failure, patch } = await backUp('volume', { BACKUP_AGE_RECIPIENTS: identity });
    expect(failure).toContain('BACKUP_AGE_RECIPIENTS has a private key, expected public ones');
    expect(`${failure}${patch}`).not.toContain(identity.slice(20, 40));
  });
});
