import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/operator-rig.ts';
import type { Program } from '../../support/program.ts';
import { startRelay } from '../../support/tcp-relay.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { backupOperator, type BackupOperator } from './backup-operator.ts';
import { etcdSource } from './backup-etcd.ts';
import { postgresqlSource } from './backup-postgresql.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';
import { redisSource, type BackupSource, type RunningSource } from './backup-source.ts';
import { buildProgram, type BuiltProgram } from './built-program.ts';

const plane = sharedControlPlane();
const MID_DUMP = 'in the middle of the dump';
const BEFORE = [
  'clean',
  'step dump',
  MID_DUMP,
  'step verify',
  'start_scratch "$1"',
  'step upload',
  'step compare',
  'step publish',
];
const AFTER = ['step latest', 'step retain'];
const MOVED_AWAY = 'mv -T "$root/$1"';
const MANIFEST_SENT = 'target_create "$1" "$2/manifest.json"';
const MANIFEST_THERE = 'mkdir -p "$manifests/$2"';
// In the order in which a run executes them.
const COMMANDS = {
  volume: [...BEFORE, 'mv -T "$folder"', 'sync "$root"', ...AFTER, MOVED_AWAY, 'report_done'],
  s3: [
    ...BEFORE,
    MANIFEST_SENT,
    MANIFEST_THERE,
    ...AFTER,
    'target_delete "$1/manifest.json"',
    'target_delete "$1/$file"',
    'report_done',
  ],
  // Only what is specific to the database, and the moment of publishing.
  postgresql: [
    'ARCHIVE=$part.pgcustom',
    MID_DUMP,
    'start_scratch',
    'restore_list restorer refresh',
    'mv -T "$folder"',
    MOVED_AWAY,
  ],
  etcd: ['ETCDCTL_ENDPOINTS=$endpoint', MID_DUMP, 'try VerifyFailed "the snapshot', MANIFEST_SENT, MANIFEST_THERE],
};
// When a run is killed at one of these, its backup has been published.
const PUBLISHED = new Set(['sync "$root"', MANIFEST_THERE, ...AFTER]);
const LIMIT_MS = 300_000;

const running = new AsyncDisposableStack();
let servers: BackupServers;
let program: BuiltProgram;
let redis: BackupSource;

beforeAll(async () => {
  servers = running.use(await startBackupServers());
  program = running.use(await buildProgram());
  redis = redisSource(servers);
}, LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
}, LIMIT_MS);

beforeEach(async () => {
  await servers.redis('FLUSHALL');
  // More than fits into a pipe.
  await servers.redis(
    'MSET',
    'a',
    randomBytes(50_000).toString('hex'),
    'b',
    randomBytes(30_000).toString('hex'),
    'c',
    '3',
  );
});

/** A database that runs as long as the test. */
async function started(start: () => Promise<RunningSource>): Promise<BackupSource> {
  const source = await start();
  onTestFinished(async () => source[Symbol.asyncDispose]());
  return source;
}

async function operatorOf(
  source: BackupSource,
  target: 'volume' | 's3',
  env: Readonly<Record<string, string>> = {},
): Promise<BackupOperator> {
  return backupOperator({ plane, servers, source, program, target, env });
}

/** Makes one good backup, and ends the operator. */
async function backUpOnce(backup: BackupOperator): Promise<void> {
  const operator = await backup.start();
  await operator.trigger();
  await operator.isDone();
  operator.signal('SIGTERM');
  await operator.ended;
}

/** Checks what must hold at every moment: published backups are complete. */
function expectWhole(backup: BackupOperator): void {
  for (const { folder, file, bytes } of backup.published()) expect(statSync(join(folder, file)).size).toBe(bytes);
}

async function expectRestorable(source: BackupSource, backup: BackupOperator): Promise<void> {
  const before = await source.content();
  expect(await source.restored(async (...args) => backup.restore(...args))).toBe(before);
}

async function killedBeforeEach(commands: readonly string[], backup: BackupOperator): Promise<void> {
  await backUpOnce(backup);
  const [first] = backup.published();
  let said = '';
  for (const [index, command] of commands.entries()) {
    const operator = await backup.start({ BACKUP_KEEP: '1', ...faultAt(command, backup) });
    // The first operator begins the run; the others continue it.
    if (index === 0) await operator.trigger();
    if (command === MID_DUMP) await killInDump(operator, backup);
    expect(await endOf(operator), `${command}: ${operator.stdout()}`).toBe('SIGKILL');
    said += operator.stdout();
    expectWhole(backup);
    expect(backup.published().length, command).toBeGreaterThan(0);
    const isPublished = commands.slice(0, index + 1).some((one) => PUBLISHED.has(one) || one === MOVED_AWAY);
    if (!isPublished) expect(backup.published()).toEqual([first]);
  }

  const operator = await backup.start({ BACKUP_KEEP: '1' });

  await operator.isDone();
  const published = backup.published();
  expect(published).toHaveLength(1);
  expect(published[0]?.name).not.toBe(first?.name);
  expect(new Set(namesIn(said + operator.stdout()))).toEqual(new Set([published[0]?.name]));
  expect(backup.leftovers()).toEqual([]);
}

/** The names that the runs of the hook printed for their backup. */
function namesIn(output: string): readonly (string | undefined)[] {
  return [...output.matchAll(/"line":"backup (\S+): \S+ attempt \d+"/g)].map(([, name]) => name);
}

function faultAt(command: string, backup: BackupOperator): Readonly<Record<string, string>> {
  return command === MID_DUMP ? backup.heldDump() : backup.at(command, 'kill -KILL $operator; kill -KILL 0');
}

async function killInDump(operator: Program, backup: BackupOperator): Promise<void> {
  const dumper = await backup.dumper();
  operator.signal('SIGKILL');
  dumper.killHook();
}

async function endOf({ ended }: Program): Promise<unknown> {
  const timer = Promise.withResolvers<unknown>();
  const timeout = setTimeout(() => timer.resolve('it was not killed'), LIMIT_MS);
  const end = await Promise.race([ended, timer.promise]);
  clearTimeout(timeout);
  return end;
}

describe('an operator that is killed', { timeout: 1_800_000 }, () => {
  it('at every step of one run, has it made by the next one, once, under the same name', async () => {
    const volume = await operatorOf(redis, 'volume');
    const bucket = await operatorOf(redis, 's3');

    await Promise.all([killedBeforeEach(COMMANDS.volume, volume), killedBeforeEach(COMMANDS.s3, bucket)]);

    await expectRestorable(redis, volume);
    await expectRestorable(redis, bucket);
  });

  it('in a dump, a verification or a publication of PostgreSQL or etcd, too', async () => {
    const [postgresql, etcd] = await Promise.all([started(postgresqlSource), started(etcdSource)]);
    const volume = await operatorOf(postgresql, 'volume');
    const bucket = await operatorOf(etcd, 's3');

    await Promise.all([killedBeforeEach(COMMANDS.postgresql, volume), killedBeforeEach(COMMANDS.etcd, bucket)]);

    await expectRestorable(postgresql, volume);
    await expectRestorable(etcd, bucket);
  });
});

describe('a target that fails in the middle', { timeout: 1_200_000 }, () => {
  it('is told, leaves the last good backup, and gets the next one when it is well again', async () => {
    const gone = await operatorOf(redis, 's3');
    await backUpOnce(gone);
    const operator = await gone.start(gone.at('step upload', `kill -KILL ${servers.s3Pid()}`));
    await operator.trigger();

    await until(() => expect(operator.stdout()).toContain('TargetUnreachable: '), LIMIT_MS);
    expect(gone.published()).toHaveLength(1);
    await until(
      async () => expect(await operator.metrics()).toMatch(/backup_failing\{.*reason="TargetUnreachable".*\} 1/),
      LIMIT_MS,
    );
    await servers.startS3();

    await operator.isDone();
    expect(gone.published()).toHaveLength(2);
    expect(gone.leftovers()).toEqual([]);
    await until(async () => expect(await operator.metrics()).not.toContain('backup_failing'), LIMIT_MS);
    const events = await gone.events();
    expect(events.find(({ reason }) => reason === 'BackupTargetUnreachable')).toMatchObject({
      involvedObject: { kind: 'StatefulSet', name: 'redis' },
      message: expect.stringMatching(/does not answer: look at S3_ENDPOINT/),
      type: 'Warning',
    });
    await expectRestorable(redis, gone);
  });

  it('may hang: that is over after S3_TIMEOUT', async () => {
    const relay = await startRelay(servers.s3Port);
    onTestFinished(async () => relay.close());
    const env = { S3_ENDPOINT: `http://127.0.0.1:${relay.port}`, S3_TIMEOUT: '2s' };
    const slow = await operatorOf(redis, 's3', env);
    await backUpOnce(slow);
    // Enough for several packets, so that the connection hangs when some of them are sent.
    await servers.redis('SET', 'large', 'x'.repeat(100_000));
    const isFrozen = join(slow.folder, 'is-frozen');
    const held = `until [[ -e '${isFrozen}' ]]; do sleep 0.1; done`;
    const operator = await slow.start(slow.at('store "${send[@]}" "$1" "$root/$stored_path"', held));
    await operator.trigger();
    await until(() => expect(operator.stdout()).toContain('step upload'), LIMIT_MS);
    // Each request uses a new connection.
    const freezing = setInterval(() => relay.freeze(), 5);
    onTestFinished(() => clearInterval(freezing));
    writeFileSync(isFrozen, '');
    await until(() => expect(operator.stdout()).toContain('TargetUnreachable: '), LIMIT_MS);
    expect(slow.published()).toHaveLength(1);
    clearInterval(freezing);
    await operator.isDone();
    expect(slow.published()).toHaveLength(2);
    expect(slow.leftovers()).toEqual([]);
  });
});

describe('a manifest that somebody changed', { timeout: 1_200_000 }, () => {
  it('has nothing removed from the bucket that is not in the folder of its backup', async () => {
    const backup = await operatorOf(redis, 's3');
    await backUpOnce(backup);
    const [{ folder, file } = { folder: '', file: '' }] = backup.published();
    const path = join(folder, 'manifest.json');
    const changed = readFileSync(path, 'utf8').replace(`"${file}"`, '"../dump.precious"');
    // A new object, as the store knows the checksum of the old one.
    rmSync(path);
    writeFileSync(path, changed);
    writeFileSync(join(backup.target, 'dump.precious'), 'of somebody');

    const operator = await backup.start({ BACKUP_KEEP: '1' });
    await operator.trigger();
    await operator.isDone();

    expect(backup.published()).toHaveLength(1);
    expect(backup.published()[0]?.folder).not.toBe(folder);
    expect(existsSync(join(backup.target, 'dump.precious'))).toBe(true);
  });
});

describe('a dump', { timeout: 1_200_000 }, () => {
  it.each(['postgresql', 'redis', 'etcd'] as const)(
    'of %s whose program is killed in the middle is told, thrown away, and made again',
    async (database) => {
      const sources = { postgresql: postgresqlSource, etcd: etcdSource };
      const source = database === 'redis' ? redis : await started(sources[database]);
      const backup = await operatorOf(source, 'volume');
      const operator = await backup.start(backup.heldDump());
      await operator.trigger();

      (await backup.dumper()).kill();

      await until(() => expect(operator.stdout()).toMatch(/DumpFailed: .* ended by SIGKILL/), LIMIT_MS);
      await operator.isDone();
      expect(operator.stdout()).toContain('retry, attempt 2"');
      expect(backup.published()).toHaveLength(1);
      expect(backup.leftovers()).toEqual([]);
      await expectRestorable(source, backup);
    },
  );

  it('that ends half-way is thrown away, also when it looks like a success', async () => {
    const backup = await operatorOf(redis, 'volume');
    await backUpOnce(backup);
    const halve = 'truncate --size=40 "$dump"';
    const operator = await backup.start({ BACKUP_KEEP_FAILED: '0', ...backup.at('step verify', halve) });
    await operator.trigger();

    await operator.isDone();
    expect(operator.stdout()).toContain('VerifyFailed: ');
    expect(operator.stdout()).toContain('retry, attempt 2"');
    expect(backup.published()).toHaveLength(2);
    expect(backup.leftovers()).toEqual([]);
    await expectRestorable(redis, backup);
  });
});

describe('a tick', { timeout: 1_200_000 }, () => {
  it('that nobody was there for is made up for, once', async () => {
    const backup = await operatorOf(redis, 'volume');
    // Once an hour, and not near the present minute.
    const hourly = { BACKUP_CRONTAB: `${(new Date().getUTCMinutes() + 30) % 60} * * * *` };
    const first = await backup.start(hourly);
    await until(async () => expect(await backup.hasState()).toBe(true), LIMIT_MS);
    first.signal('SIGKILL');
    await first.ended;
    await backup.awayFor(2 * 60 * 60);

    const second = await backup.start(hourly);

    await second.isDone();
    // A tick that is less than a minute old does not count as missed.
    expect(second.stdout()).toMatch(/backup \S+: (?:catch-up|tick), attempt 1/);
    expect(backup.published()).toHaveLength(1);
  });
});
