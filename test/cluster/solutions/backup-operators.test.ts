import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { backupOperator, type BackupOperator, type RunningBackups } from './backup-operator.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';
import { redisSource, type BackupSource } from './backup-source.ts';
import { buildProgram, type BuiltProgram } from './built-program.ts';

const plane = sharedControlPlane();
const LIMIT_MS = 300_000;
// In each race the first of two operators is killed at one of these commands.
const COMMANDS = ['step verify', 'target_create "$1" "$2/manifest.json"', 'see_whole'];

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

/** One of two operators that were installed by mistake for one folder. */
async function operatorOf(pod: string, folder: string): Promise<BackupOperator> {
  const env = {
    BACKUP_FOLDER: folder,
    BACKUP_IDENTITY: 'the-redis',
    BACKUP_KEEP: '1',
    BACKUP_LOCK_TIMEOUT: '20s',
    POD_NAME: pod,
  };
  return backupOperator({ plane, servers, source: redis, program, target: 's3', env });
}

async function started(backup: BackupOperator, env: Readonly<Record<string, string>> = {}): Promise<RunningBackups> {
  const operator = await backup.start(env);
  await operator.trigger();
  return operator;
}

/** Two operators, and what one does when it is killed. */
interface Race {
  readonly first: BackupOperator;
  readonly second: BackupOperator;
  readonly command: string;
}

async function run({ first, second, command }: Race): Promise<void> {
  const killed = await started(first, first.at(command, 'kill -KILL $operator; kill -KILL 0'));
  const other = await started(second);
  await other.isDone();
  expect(await killed.ended, command).toBe('SIGKILL');
  const again = await first.start();
  await again.isDone();
  for (const operator of [again, other]) {
    operator.signal('SIGTERM');
    await operator.ended;
  }
}

describe('2 operators with one folder', { timeout: 1_200_000 }, () => {
  it('leave a backup that can be restored after each of 3 races in which one is killed', async () => {
    await servers.redis('SET', 'greeting', 'before the races');
    const races: Race[] = [];
    for (const [index, command] of COMMANDS.entries()) {
      const [first, second] = [
        await operatorOf('backup-0', `of-${index}`),
        await operatorOf('backup-1', `of-${index}`),
      ];
      races.push({ first, second, command });
      const operator = await started(second);
      await operator.isDone();
      operator.signal('SIGTERM');
      await operator.ended;
    }

    await servers.redis('SET', 'greeting', 'in the races');
    const before = await redis.content();
    await Promise.all(races.map(run));

    for (const { first, second } of races) {
      expect(first.published()).toHaveLength(1);
      for (const { folder, file, bytes } of second.published()) expect(statSync(join(folder, file)).size).toBe(bytes);
      expect(await redis.restored(async (...args) => second.restore(...args))).toBe(before);
    }
  });
});
