import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { controlPlaneAssets, etcdToolAssets } from '../assets.ts';
import { freePorts } from '../free-ports.ts';
import { ServerProcess } from '../server-process.ts';
import { eventually } from './eventually.ts';

/** An etcd cluster of several members, as processes of this machine. */
export interface EtcdMembers extends AsyncDisposable {
  readonly urls: readonly string[];
  /** The settings with which a hook connects to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs etcdctl; returns what it prints. */
  ask(...words: readonly string[]): Promise<string>;
  /** Kills a member, as the loss of its node does. */
  kill(index: number): Promise<void>;
  /** Replaces bytes everywhere in the database of a member with others of the same length, as a bad disk may do. */
  corrupt(index: number, bytes: string, others: string): Promise<void>;
}

/** Starts the members, and waits until all are healthy. */
export async function startEtcdMembers(count: number): Promise<EtcdMembers> {
  const { etcd } = await controlPlaneAssets(process.env);
  const { etcdctl } = await etcdToolAssets(process.env);
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-etcd-'));
  const ports = await freePorts(2 * count);
  const urls = ports.slice(0, count).map((port) => `http://127.0.0.1:${port}`);
  const peers = ports.slice(count).map((port) => `http://127.0.0.1:${port}`);
  const members = urls.map((url, index) => memberOf(etcd, join(folder, `m${index}`), { index, url, peers }));
  const start = async (index: number): Promise<void> => members[index]?.start(`${urls[index]}/health`);
  await Promise.all(urls.map(async (_, index) => start(index)));
  const run = promisify(execFile);
  const ask = async (...words: readonly string[]): Promise<string> =>
    (await run(etcdctl, ['--endpoints', urls.join(','), ...words])).stdout.trim();
  return {
    urls,
    env: { ETCDCTL_ENDPOINTS: urls.join(','), PATH: `${dirname(etcdctl)}:${process.env['PATH'] ?? ''}` },
    ask,
    kill: async (index) => members[index]?.kill(),
    corrupt: async (index, bytes, others) => {
      const path = join(folder, `m${index}`, 'data', 'member', 'snap', 'db');
      // A key that is in the file, with later ones behind it, is not read again from the log.
      for (const text of [bytes, crypto.randomUUID()]) {
        if (text !== bytes) await ask('put', '/later', text);
        await eventually(() => {
          if (!readFileSync(path).includes(text)) throw new Error(`member ${index} does not hold ${text} yet`);
        });
      }
      await members[index]?.kill();
      writeFileSync(path, readFileSync(path).toString('latin1').replaceAll(bytes, others), 'latin1');
      await start(index);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map(async (member) => member.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly index: number;
  readonly url: string;
  readonly peers: readonly string[];
}

function memberOf(etcd: string, folder: string, { index, url, peers }: Place): ServerProcess {
  mkdirSync(folder);
  const flags = {
    name: `etcd-${index}`,
    'data-dir': join(folder, 'data'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peers[index] ?? '',
    'initial-advertise-peer-urls': peers[index] ?? '',
    'initial-cluster': peers.map((peer, other) => `etcd-${other}=${peer}`).join(','),
  };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return new ServerProcess(etcd, [...words, '--unsafe-no-fsync', '--log-level', 'error'], { logFolder: folder });
}
