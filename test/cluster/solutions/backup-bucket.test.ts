import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileBackupHook, nameOf, restoreFile, wholeBackups } from '../../support/backup-folder.ts';
import { runScript, type ScriptResult } from '../../support/script-rig.ts';
import { fileBackupsFor, type FileBackups } from './backup-file-rig.ts';
import { bucketWithoutDelete } from './backup-locked-bucket.ts';
import { startOddStore } from './backup-odd-store.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';

type Env = Readonly<Record<string, string>>;

const LIMIT_MS = 600_000;
// The commands at which a run is killed, in order; at each the bucket has other contents.
const COMMANDS = [
  'step dump',
  'target_create "$1" "$2/manifest.json"',
  'step latest',
  'target_delete "$1/manifest.json"',
  'target_delete "$1/$file"',
  'target_delete .lock',
];

const running = new AsyncDisposableStack();
const lend = fileBackupsFor(3);
let servers: BackupServers;

beforeAll(async () => {
  servers = running.use(await startBackupServers());
}, LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
}, LIMIT_MS);

interface BucketBackups extends FileBackups {
  readonly folder: (bucket?: string) => string;
  readonly published: () => readonly unknown[];
}

/** Backups in a folder of the bucket of their own. */
async function inBucket(): Promise<BucketBackups> {
  const name = crypto.randomUUID();
  const own = { BACKUP_TARGET: 's3', BACKUP_FOLDER: name, BACKUP_KEEP: '1', BACKUP_LOCK_TIMEOUT: '10s' };
  const backups = await lend({ ...servers.env, ...own });
  const folder = (bucket = servers.bucket): string => join(bucket, name);
  return { ...backups, folder, published: () => wholeBackups(folder()).map(({ backup }) => backup) };
}

describe.concurrent('of 2 operators with one bucket', { timeout: LIMIT_MS }, () => {
  it.each(COMMANDS)(
    'one may be killed before "%s" while the other works: there is a backup, and both go on',
    async (command) => {
      using backups = await inBucket();
      const { backUp, at, folder, expectRestorable } = backups;
      await backUp('a', 1);

      const [, other] = await Promise.all([backUp('a', 2, at(command, 'kill -KILL 0')), backUp('b', 3)]);

      expect(other.failure).toBeUndefined();
      await expectRestorable();
      const results = await Promise.all([backUp('a', 2), backUp('b', 4)]);
      expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
      await expectRestorable();
      expect(existsSync(join(folder(), '.lock'))).toBe(false);
    },
  );

  it('one that stands still at any of 3 places until the other has its lock leaves a backup', async () => {
    using backups = await inBucket();
    const { backUp, at, expectRestorable } = backups;
    const places = ['target_create "$1" "$2/manifest.json"', 'see_whole', 'target_delete "$1/manifest.json"'];
    const still = `setsid bash -c "sleep 30; kill -CONT -- -$(ps -o pgid= -p $$ | tr -d ' ')" & sleep 1; kill -STOP 0`;
    const raceAt = async (command: string, index: number): Promise<Env> => {
      const own = { BACKUP_FOLDER: crypto.randomUUID() };
      await backUp(`a${index}`, 1, own);
      const [, other] = await Promise.all([
        backUp(`a${index}`, 2, { ...own, ...at(command, still) }),
        backUp(`b${index}`, 3, { ...own, ...at('lock_take', 'sleep 3') }),
      ]);
      expect(other.failure, command).toBeUndefined();
      return own;
    };

    const raced = await Promise.all(places.map(raceAt));

    for (const own of raced) {
      expect(wholeBackups(join(servers.bucket, own['BACKUP_FOLDER'] ?? '')).length).toBeGreaterThan(0);
      await expectRestorable(own);
    }
  });

  it('each makes its backup also where the store does not know conditions', async () => {
    using backups = await inBucket();
    const { backUp, published, expectRestorable } = backups;
    await using store = await startOddStore(servers.s3Port, { ignoresConditions: true });
    const odd = { S3_ENDPOINT: store.url, BACKUP_LOCK_TIMEOUT: '2m' };

    const results = await Promise.all([backUp('a', 1, odd), backUp('b', 2, odd)]);

    expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect(published()).toHaveLength(1);
    await expectRestorable();
  });

  it('that have the same run each leave manifest and dump that belong together', async () => {
    using backups = await inBucket();
    const { backUp, published, expectRestorable } = backups;
    const noLock = { BACKUP_RETENTION: 'none' };

    const results = await Promise.all([backUp('a', 1, noLock), backUp('b', 1, noLock)]);

    expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    expect(published()).toEqual([nameOf(1)]);
    await expectRestorable();
  });
});

// Alone: how many of its backups fall into the lag depends on how long each takes.
describe('a bucket whose listing lags by 20 s', { timeout: LIMIT_MS }, () => {
  it('has backups made, and old ones removed later at most', async () => {
    using backups = await inBucket();
    const { backUp, published, expectRestorable } = backups;
    await using store = await startOddStore(servers.s3Port, { lagMs: 20_000 });
    const odd = { S3_ENDPOINT: store.url };

    const failures: unknown[] = [];
    for (const day of [1, 2, 3, 4]) failures.push((await backUp('a', day, odd)).failure);

    expect(failures).toEqual([undefined, undefined, undefined, undefined]);
    expect(published()).toContain(nameOf(4));
    await expectRestorable();
  });
});

describe.concurrent('a bucket whose listings of folders never change', { timeout: LIMIT_MS }, () => {
  it('loses no dump that a manifest names', async () => {
    using backups = await inBucket();
    const { backUp, published, expectRestorable } = backups;
    const lags = { lagMs: Infinity, lagging: /[?&]delimiter=%2F/ };
    await using store = await startOddStore(servers.s3Port, lags);
    const odd = { S3_ENDPOINT: store.url };

    const failures: unknown[] = [];
    for (const day of [1, 2, 3]) failures.push((await backUp('a', day, odd)).failure);

    expect(failures).toEqual([undefined, undefined, undefined]);
    expect(published()).toContain(nameOf(3));
    await expectRestorable();
  });
});

describe.concurrent('a bucket with object lock, and keys that may not delete', { timeout: LIMIT_MS }, () => {
  it('has backups made and brought back where BACKUP_RETENTION is none', async () => {
    using backups = await inBucket();
    const { backUp, env, expectRestorable } = backups;
    const bucket = {
      ...(await bucketWithoutDelete(servers, { bucket: 'locked', isLocked: true })),
      BACKUP_RETENTION: 'none',
    };
    const results: ScriptResult[] = [];
    for (const day of [1, 2, 3]) results.push(await backUp('a', day, bucket));
    const check = await runScript(fileBackupHook, {
      contexts: [{ binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'the-uid' }] }],
      env: { ...env, ...bucket },
    });

    expect([...results, check].map(({ failure }) => failure)).toEqual([undefined, undefined, undefined, undefined]);
    expect(results.at(-1)?.printed).toContain(
      'older backups are left to who looks after them: BACKUP_RETENTION is none',
    );
    expect(results.at(-1)?.metrics).toMatch(/"backups_kept", "action": "set", "value": 3/);
    await expectRestorable(bucket);
    const { stdout } = await restoreFile({ ...env, ...bucket }, '--list');
    expect(stdout.match(/verified: yes/g)).toHaveLength(3);
  });
});

describe.concurrent('keys that may not delete', { timeout: LIMIT_MS }, () => {
  it('are told when the operator starts, and do not keep a backup from being made', async () => {
    using backups = await inBucket();
    const { backUp, env, folder, expectRestorable } = backups;
    const bucket = await bucketWithoutDelete(servers, { bucket: 'limited', isLocked: false });
    const check = await runScript(fileBackupHook, {
      contexts: [{ binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'the-uid' }] }],
      env: { ...env, ...bucket },
    });
    await backUp('a', 1, bucket);

    const { failure } = await backUp('a', 2, bucket);

    for (const said of [check.failure, failure]) {
      expect(said).toMatch(/AccessDenied: .* grant s3:DeleteObject; or, .* set BACKUP_RETENTION=none/);
    }
    expect(failure).toContain('step retain');
    const made = wholeBackups(folder(servers.bucket.replace(/[^/]+$/, 'limited')));
    expect(made.map(({ backup }) => backup)).toEqual([nameOf(1), nameOf(2)]);
    await expectRestorable(bucket);
  });
});

describe.concurrent('a bucket', { timeout: LIMIT_MS }, () => {
  it('that somebody has put large objects into has none of them fetched, and they are told by name', async () => {
    using backups = await inBucket();
    const { backUp, folder } = backups;
    await backUp('a', 1);
    const large = '20240101T000000Z-large';
    for (const name of [large, 'notes']) {
      mkdirSync(join(folder(), name));
      writeFileSync(join(folder(), name, 'manifest.json'), Buffer.alloc(1024 * 1024));
    }

    const { failure, printed } = await backUp('a', 2);

    expect(failure).toBeUndefined();
    const told = printed.filter((line) => String(line).includes('unreadable manifest'));
    expect(told).toEqual([`unreadable manifest ${large}: it is not taken for a backup`]);
    writeFileSync(join(folder(), 'owner.json'), Buffer.alloc(1024 * 1024));
    expect((await backUp('a', 3)).failure).toMatch(/TargetFailed: .* owner\.json in bucket .* it has more than 64 KiB/);
  });

  it('whose dump is gone has its backup listed as missing', async () => {
    using backups = await inBucket();
    const { backUp, folder, env } = backups;
    await backUp('a', 1);
    const [{ file } = { file: '' }] = wholeBackups(folder());
    rmSync(join(folder(), nameOf(1), String(file)));

    expect((await restoreFile(env, '--list')).stdout).toContain(`MISSING: there is no ${String(file)}`);
  });
});
