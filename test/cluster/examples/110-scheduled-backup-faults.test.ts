import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/operator-rig.ts';
import type { Program } from '../../support/program.ts';
import { startRelay } from '../../support/tcp-relay.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { backupOperator, type BackupOperator } from './backup-operator.ts';
import { buildProgram, type BuiltProgram } from './built-program.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';

const plane = sharedControlPlane();
const BEFORE = [
  'target_clean',
  'step dump',
  'step verify',
  'start_scratch "$1"',
  'step upload',
  'step compare',
  'step publish',
];
const AFTER = ['step latest', 'step retain'];
// In the order in which a run comes to them.
const COMMANDS = {
  volume: [...BEFORE, 'mv -T "$folder"', 'sync "$root"', ...AFTER, 'mv -T "$root/$1"', 'report_done'],
  s3: [
    ...BEFORE,
    'store moveto',
    'store copyto --ignore-times "$1" "$root/$backup/manifest.json"',
    'store size',
    ...AFTER,
    'store deletefile "$root/$1/manifest.json"',
    'store deletefile "$root/$1/$file"',
    'report_done',
  ],
};
const LIMIT_MS = 60_000;

let servers: BackupServers;
let program: BuiltProgram;

beforeAll(async () => {
  [servers, program] = await Promise.all([startBackupServers(), buildProgram()]);
});

afterAll(async () => {
  await servers[Symbol.asyncDispose]();
  program[Symbol.dispose]();
});

beforeEach(async () => {
  await servers.redis('FLUSHALL');
  await servers.redis('MSET', 'a', '1', 'b', '2', 'c', '3');
});

/** Makes one good backup, with the operator ended after it. */
async function backUpOnce(backup: BackupOperator): Promise<void> {
  const operator = await backup.start();
  await operator.trigger();
  await operator.isDone();
  operator.signal('SIGTERM');
  await operator.ended;
}

/** What holds at every moment: what is published is whole. */
function expectWhole(backup: BackupOperator): void {
  for (const { folder, file } of backup.published()) expect(statSync(join(folder, file)).size).toBeGreaterThan(0);
}

async function expectRestorable(backup: BackupOperator): Promise<void> {
  const before = await servers.redis('GET', 'a');
  await servers.redis('FLUSHALL');
  expect(await backup.restore()).toContain('with 3 keys');
  expect(await servers.redis('GET', 'a')).toBe(before);
}

async function killedBeforeEach(commands: readonly string[], backup: BackupOperator): Promise<void> {
  await backUpOnce(backup);
  const [first] = backup.published();
  for (const [index, command] of commands.entries()) {
    const killer = backup.at(command, 'kill -KILL $operator; kill -KILL 0');
    const operator = await backup.start({ BACKUP_KEEP: '1', ...killer });
    // The first makes the run; all others find it.
    if (index === 0) await operator.trigger();
    expect(await endOf(operator), `${command}: ${operator.stdout()}`).toBe('SIGKILL');
    expectWhole(backup);
    expect(backup.published().length, command).toBeGreaterThan(0);
    if (BEFORE.includes(command)) expect(backup.published()).toEqual([first]);
  }

  const operator = await backup.start({ BACKUP_KEEP: '1' });

  await operator.isDone();
  expect(operator.stdout()).toContain(`attempt ${commands.length + 1}"`);
  const published = backup.published();
  expect(published).toHaveLength(1);
  expect(published[0]?.name).not.toBe(first?.name);
  expect(backup.leftovers()).toEqual([]);
}

async function endOf({ ended }: Program): Promise<unknown> {
  const timer = Promise.withResolvers<unknown>();
  const timeout = setTimeout(() => timer.resolve('it was not killed'), LIMIT_MS);
  const end = await Promise.race([ended, timer.promise]);
  clearTimeout(timeout);
  return end;
}

describe('an operator that is killed', { timeout: 300_000 }, () => {
  it('at every step of one run, has it made by the next one, once, under the same name', async () => {
    const volume = await backupOperator({ plane, servers, program, target: 'volume' });
    const bucket = await backupOperator({ plane, servers, program, target: 's3' });

    await Promise.all([killedBeforeEach(COMMANDS.volume, volume), killedBeforeEach(COMMANDS.s3, bucket)]);

    await expectRestorable(volume);
    await expectRestorable(bucket);
  });
});

describe('a target that fails in the middle', { timeout: 240_000 }, () => {
  it('is told, leaves the last good backup, and gets the next one when it is well again', async () => {
    const gone = await backupOperator({ plane, servers, program, target: 's3' });
    await backUpOnce(gone);
    const operator = await gone.start(gone.at('step upload', `kill -KILL ${servers.s3Pid()}`));
    await operator.trigger();

    await until(() => expect(operator.stdout()).toContain('TargetUnreachable: '), LIMIT_MS);
    expect(gone.published()).toHaveLength(1);
    await until(async () =>
      expect(await operator.metrics()).toMatch(/backup_failing\{.*reason="TargetUnreachable".*\} 1/),
    );
    await servers.startS3();

    await operator.isDone();
    expect(gone.published()).toHaveLength(2);
    expect(gone.leftovers()).toEqual([]);
    await until(async () => expect(await operator.metrics()).not.toContain('backup_failing'));
    const events = await gone.events();
    expect(events.find(({ reason }) => reason === 'BackupTargetUnreachable')).toMatchObject({
      involvedObject: { kind: 'StatefulSet', name: 'redis' },
      message: expect.stringMatching(/does not answer: look at S3_ENDPOINT/),
      type: 'Warning',
    });
    await expectRestorable(gone);
  });

  it('may hang: that is over after S3_TIMEOUT', async () => {
    const relay = await startRelay(servers.s3Port);
    onTestFinished(async () => relay.close());
    const slow = await backupOperator({
      plane,
      servers,
      program,
      target: 's3',
      env: { S3_ENDPOINT: `http://127.0.0.1:${relay.port}`, S3_TIMEOUT: '2s' },
    });
    await backUpOnce(slow);
    // Enough for several packets, so that it hangs with a part of them sent.
    await servers.redis('SET', 'large', 'x'.repeat(100_000));
    const operator = await slow.start(slow.at('store copyto --ignore-times "$1"', 'sleep 1'));
    await operator.trigger();
    await until(() => expect(operator.stdout()).toContain('step upload'), LIMIT_MS);
    // Each request comes on a connection of its own.
    const freezing = setInterval(() => relay.freeze(), 5);
    onTestFinished(() => clearInterval(freezing));
    await until(() => expect(operator.stdout()).toContain('TargetUnreachable: '), LIMIT_MS);
    clearInterval(freezing);
    expect(slow.published()).toHaveLength(1);
    await operator.isDone();
    expect(slow.published()).toHaveLength(2);
    expect(slow.leftovers()).toEqual([]);
  });
});

describe('a dump', { timeout: 240_000 }, () => {
  it('that ends half-way is thrown away, also when it looks like a success', async () => {
    const backup = await backupOperator({ plane, servers, program, target: 'volume' });
    await backUpOnce(backup);
    const halve = 'truncate --size=40 "$dump"';
    const operator = await backup.start(backup.at('step verify', halve));
    await operator.trigger();

    await operator.isDone();
    expect(operator.stdout()).toContain('VerifyFailed: ');
    expect(operator.stdout()).toContain('retry, attempt 2"');
    expect(backup.published()).toHaveLength(2);
    expect(backup.leftovers()).toEqual([]);
    await expectRestorable(backup);
  });
});

describe('a tick', { timeout: 240_000 }, () => {
  it('that nobody was there for is made up for, once', async () => {
    const backup = await backupOperator({ plane, servers, program, target: 'volume' });
    const hourly = { BACKUP_CRONTAB: '0 * * * *' };
    const first = await backup.start(hourly);
    await until(async () => expect(await backup.hasState()).toBe(true), LIMIT_MS);
    first.signal('SIGKILL');
    await first.ended;
    await backup.awayFor(2 * 60 * 60);

    const second = await backup.start(hourly);

    await second.isDone();
    // Of a tick that is less than a minute old nobody says that it is late.
    expect(second.stdout()).toMatch(/backup \S+: (?:catch-up|tick), attempt 1/);
    expect(backup.published()).toHaveLength(1);
  });
});
