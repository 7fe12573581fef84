import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { s3ServerAsset } from '../assets.ts';
import { freePorts } from '../free-ports.ts';
import { ServerProcess } from '../server-process.ts';

const LIMIT_MS = 120_000;
const BUCKET = 'backups';
const KEYS = { access: 'backup', secret: 'backup-secret' };

/** A Redis and an S3 server as processes of this machine, in a folder of their own. */
export interface BackupServers extends AsyncDisposable {
  readonly redis: (...words: readonly string[]) => Promise<string>;
  readonly redisPort: number;
  readonly s3Port: number;
  /** The folder with the objects of the bucket, as files. */
  readonly bucket: string;
  /** The settings with which a hook uses the bucket. */
  readonly env: Readonly<Record<string, string>>;
  readonly startS3: () => Promise<void>;
  readonly s3Pid: () => number;
}

/** Starts both; the bucket exists and is empty. */
export async function startBackupServers(): Promise<BackupServers> {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-backup-'));
  const [redisPort = 0, s3Port = 0] = await freePorts(2);
  const bucket = join(folder, 's3', BUCKET);
  mkdirSync(bucket, { recursive: true });
  const redisFlags = ['--port', redisPort, '--bind', '127.0.0.1', '--dir', folder, '--repl-diskless-sync-delay', 0];
  const options = { logFolder: folder };
  const redisServer = new ServerProcess('redis-server', [...redisFlags.map(String), '--save', ''], options);
  for (const name of ['iam', 'versions']) mkdirSync(join(folder, name));
  const words = ['--access', KEYS.access, '--secret', KEYS.secret, '--port', `127.0.0.1:${s3Port}`];
  const kept = ['--iam-dir', join(folder, 'iam')];
  const posix = ['posix', '--versioning-dir', join(folder, 'versions'), join(folder, 's3')];
  const s3 = new ServerProcess(await s3ServerAsset(process.env), [...words, ...kept, ...posix], options);
  const startS3 = async (): Promise<void> => {
    await s3.start();
    await listening(s3Port);
  };
  await redisServer.start().catch((error: unknown) => {
    throw new Error('this test needs redis-server and redis-cli: Debian package redis-server', { cause: error });
  });
  await listening(redisPort);
  await startS3();
  return {
    redisPort,
    s3Port,
    bucket,
    redis: async (...command) =>
      (await promisify(execFile)('redis-cli', ['-p', String(redisPort), ...command])).stdout.trim(),
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${s3Port}`,
      S3_BUCKET: BUCKET,
      AWS_ACCESS_KEY_ID: KEYS.access,
      AWS_SECRET_ACCESS_KEY: KEYS.secret,
      RCLONE_RETRIES: '1',
      RCLONE_LOW_LEVEL_RETRIES: '1',
    },
    startS3,
    s3Pid: () => s3.pid ?? 0,
    async [Symbol.asyncDispose]() {
      await Promise.all([redisServer.kill(), s3.kill()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await accepts(port))) {
    if (Date.now() > deadline) throw new Error(`nobody listens on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  const isThere = await promise;
  socket.destroy();
  return isThere;
}
