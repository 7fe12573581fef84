import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { s3ServerAsset } from '../assets.ts';
import type { BackupServers } from './backup-servers.ts';

const run = promisify(execFile);
const LOCK = `<ObjectLockConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
<ObjectLockEnabled>Enabled</ObjectLockEnabled>
<Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>1</Days></DefaultRetention></Rule>
</ObjectLockConfiguration>`;

type Env = Readonly<Record<string, string>>;

/** The properties of a bucket that is made for a test. */
export interface BucketOptions {
  readonly bucket: string;
  /** The bucket keeps versions, and no version can be removed for a day. */
  readonly isLocked: boolean;
}

/** Makes a bucket, and a user that may list, read and write but not remove objects; returns the settings of the hook. */
export async function bucketWithoutDelete({ env }: BackupServers, options: BucketOptions): Promise<Env> {
  const { bucket, isLocked } = options;
  const access = `writer-of-${bucket}`;
  const admin = ['admin', '-a', root(env).access, '-s', root(env).secret, '-er', env['S3_ENDPOINT'] ?? ''];
  const user = ['create-user', '--access', access, '--secret', 'a-secret', '--role', 'user'];
  await run(await s3ServerAsset(process.env), [...admin, ...user]);
  await put(env, { path: bucket, headers: isLocked ? ['x-amz-bucket-object-lock-enabled: true'] : [] });
  if (isLocked) await put(env, { path: `${bucket}?object-lock=`, body: LOCK });
  await put(env, { path: `${bucket}?policy=`, body: policyFor(access, bucket) });
  return { S3_BUCKET: bucket, AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: 'a-secret' };
}

function root(env: Env): { readonly access: string; readonly secret: string } {
  return { access: env['AWS_ACCESS_KEY_ID'] ?? '', secret: env['AWS_SECRET_ACCESS_KEY'] ?? '' };
}

function policyFor(user: string, bucket: string): string {
  const rule = (actions: readonly string[], resource: string): object => ({
    Effect: 'Allow',
    Principal: { AWS: [user] },
    Action: actions,
    Resource: `arn:aws:s3:::${resource}`,
  });
  const rules = [rule(['s3:GetObject', 's3:PutObject'], `${bucket}/*`), rule(['s3:ListBucket'], bucket)];
  return JSON.stringify({ Version: '2012-10-17', Statement: rules });
}

interface Put {
  readonly path: string;
  readonly body?: string;
  readonly headers?: readonly string[];
}

async function put(env: Env, { path, body = '', headers = [] }: Put): Promise<void> {
  const hash = (algorithm: string): ReturnType<typeof createHash> => createHash(algorithm).update(body);
  const sums = [
    `x-amz-content-sha256: ${hash('sha256').digest('hex')}`,
    `content-md5: ${hash('md5').digest('base64')}`,
  ];
  const words = ['--silent', '--show-error', '--fail-with-body', '--request', 'PUT', '--data-binary', body];
  const sign = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', `${root(env).access}:${root(env).secret}`];
  const lines = [...sums, ...headers].flatMap((header) => ['--header', header]);
  await run('curl', [...words, ...sign, ...lines, `${env['S3_ENDPOINT']}/${path}`]);
}
