import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { controlPlaneAssets, etcdToolAssets } from '../assets.ts';
import { freePorts } from '../free-ports.ts';
import { ServerProcess } from '../server-process.ts';
import type { RunningSource } from './backup-source.ts';

/** An etcd of one member. */
export async function etcdSource(): Promise<RunningSource> {
  const { etcdctl } = await etcdToolAssets(process.env);
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-etcd-'));
  const first = await startEtcd(folder, join(folder, 'first'));
  const ask = async (url: string, ...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(etcdctl, ['--endpoints', url, ...words])).stdout.trim();
  const contentOf = async (url: string): Promise<string> => ask(url, 'get', '--prefix', '/');
  // More than fits into a pipe.
  for (const name of ['a', 'b', 'c']) await ask(first.url, 'put', `/${name}`, randomBytes(30_000).toString('hex'));
  let count = 0;
  return {
    database: 'etcd',
    env: { ETCDCTL_ENDPOINTS: first.url, PATH: `${dirname(etcdctl)}:${process.env['PATH'] ?? ''}` },
    dumper: { program: 'etcdctl', file: '$dump.part' },
    content: async () => contentOf(first.url),
    restored: async (script) => {
      count += 1;
      const data = join(folder, `restored-${count}`);
      const peer = 'http://127.0.0.1:1';
      const member = ['--name', 'm', '--initial-cluster', `m=${peer}`, '--initial-advertise-peer-urls', peer];
      await script('--data-dir', data, ...member);
      const again = await startEtcd(folder, data);
      try {
        return await contentOf(again.url);
      } finally {
        await again.server.kill();
      }
    },
    async [Symbol.asyncDispose]() {
      await first.server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startEtcd(
  logFolder: string,
  data: string,
): Promise<{ readonly server: ServerProcess; readonly url: string }> {
  const { etcd } = await controlPlaneAssets(process.env);
  const [client = 0, peer = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${client}`;
  const peers = `http://127.0.0.1:${peer}`;
  const urls = { 'listen-client-urls': url, 'advertise-client-urls': url, 'listen-peer-urls': peers };
  const words = Object.entries({ name: 'm', 'data-dir': data, ...urls }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const server = new ServerProcess(etcd, [...words, '--unsafe-no-fsync', '--log-level', 'warn'], { logFolder });
  await server.start(`${url}/health`);
  return { server, url };
}
