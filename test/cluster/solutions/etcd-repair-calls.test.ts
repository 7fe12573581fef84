import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it, vi } from 'vitest';
import { disarmAlarm } from '../../../solutions/etcd-repair/hooks/lib/alarm.ts';
import { Etcd } from '../../../solutions/etcd-repair/hooks/lib/etcd.ts';
import { call } from '../../../solutions/etcd-repair/hooks/lib/grpc.ts';
import { readSettings } from '../../../solutions/etcd-repair/hooks/lib/settings.ts';
import { createCertificate } from '../../support/certificate.ts';
import { controlPlaneAssets, etcdToolAssets } from '../assets.ts';
import { freePorts } from '../free-ports.ts';
import { ServerProcess } from '../server-process.ts';
import { eventually } from './eventually.ts';

const TIMEOUT_MS = 10_000;
const ALARM = '/etcdserverpb.Maintenance/Alarm';

type Access = 'nobody asks' | 'a password' | 'a certificate with the name of a user';
const ACCESSES: readonly Access[] = ['nobody asks', 'a password', 'a certificate with the name of a user'];

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each(ACCESSES)('of three alarms the one of one kind and one member is disarmed: %s', async (access) => {
  await using etcd = await startEtcd(access);
  for (const [member, alarm] of ALARMS) {
    const message = Buffer.from([0x08, 1, 0x10, member, 0x18, alarm]);
    await call({ endpoint: etcd.endpoint, path: ALARM, message, timeoutMs: TIMEOUT_MS });
  }
  await etcd.enableAuth();

  await disarmAlarm(etcd.endpoint, { memberId: '1', alarm: 'CORRUPT' }, { timeoutMs: TIMEOUT_MS });
  expect(await etcd.client().alarms([etcd.endpoint])).toEqual({ corrupt: ['2'], noSpace: ['1'] });

  await disarmAlarm(etcd.endpoint, { memberId: '1', alarm: 'NOSPACE' }, { timeoutMs: TIMEOUT_MS });
  expect(await etcd.client().alarms([etcd.endpoint])).toEqual({ corrupt: ['2'], noSpace: [] });
});

it.each(ACCESSES)('a learner answers, or says that it is one: %s', async (access) => {
  await using etcd = await startEtcd(access);
  const learner = await etcd.addLearner();
  await etcd.enableAuth();

  const status = etcd.client().status(learner);

  if (access === 'a password') await expect(status).rejects.toThrow('rpc not supported for learner');
  else expect(await status).toMatchObject({ isLearner: true, databaseBytes: expect.any(Number) });
});

it('a call to nobody, to who does not answer, and one that is refused say so', async () => {
  await using etcd = await startEtcd('nobody asks');
  const ask = async (endpoint: string, path: string, timeoutMs: number): Promise<unknown> =>
    call({ endpoint, path, message: Buffer.of(), timeoutMs });
  const [port] = await freePorts(1);

  await expect(ask(`http://127.0.0.1:${port}`, ALARM, TIMEOUT_MS)).rejects.toThrow('ECONNREFUSED');
  await expect(ask(etcd.endpoint, '/etcdserverpb.Maintenance/None', TIMEOUT_MS)).rejects.toThrow('unknown method None');
  etcd.stop();
  await expect(ask(etcd.endpoint, ALARM, 500)).rejects.toThrow('did not answer within 0.5s');
});

/** Alarm types of etcd: 2 is CORRUPT, 1 is NOSPACE. */
const ALARMS = [
  [1, 2],
  [2, 2],
  [1, 1],
] as const;

interface TestEtcd extends AsyncDisposable {
  readonly endpoint: string;
  readonly client: () => Etcd;
  readonly enableAuth: () => Promise<void>;
  /** Adds a second member, and returns its endpoint when it has started. */
  readonly addLearner: () => Promise<string>;
  /** The server accepts connections, but does not answer. */
  readonly stop: () => void;
}

async function startEtcd(access: Access): Promise<TestEtcd> {
  const isSecure = access === 'a certificate with the name of a user';
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-etcd-calls-'));
  parts.defer(async () => rm(folder, { recursive: true, force: true }));
  const members: ServerProcess[] = [];
  parts.defer(async () => void (await Promise.all(members.map(async (member) => member.kill()))));
  const { etcdctl } = await etcdToolAssets(process.env);
  const tls = isSecure ? await writeCertificates(folder) : [];
  vi.stubEnv('PATH', [dirname(etcdctl), process.env['PATH']].join(delimiter));
  const [client, peer, ...others] = await freePorts(4);
  const start = async (name: string, ports: readonly (number | undefined)[], args: readonly string[]) => {
    const member = await startMember({ folder, name, ports, args: [...args, ...tls], isSecure });
    members.push(member);
    return member;
  };
  const first = await start('first', [client, peer], [`--initial-cluster=first=http://127.0.0.1:${peer}`]);
  const endpoint = `${isSecure ? 'https' : 'http'}://127.0.0.1:${client}`;
  const ctl = async (...args: readonly string[]): Promise<void> => {
    await eventually(async () => promisify(execFile)(etcdctl, ['--endpoints', endpoint, ...args]), 60_000);
  };
  await ctl('endpoint', 'health');
  const rest = parts.move();
  return {
    endpoint,
    client: () => new Etcd(readSettings({ ETCD_TIMEOUT_SECONDS: '10' }), new AbortController().signal),
    enableAuth: async () => {
      if (access === 'nobody asks') return;
      for (const words of ['user add root:secret', 'user grant-role root root', 'auth enable'])
        await ctl(...words.split(' '));
      if (access === 'a password') vi.stubEnv('ETCDCTL_USER', 'root:secret');
    },
    addLearner: async () => {
      const url = `http://127.0.0.1:${others[1]}`;
      await ctl('member', 'add', 'second', '--learner', `--peer-urls=${url}`);
      const cluster = `--initial-cluster=first=http://127.0.0.1:${peer},second=${url}`;
      await start('second', others, [cluster, '--initial-cluster-state=existing']);
      const learner = endpoint.replace(String(client), String(others[0]));
      await eventually(async () => new Etcd(readSettings({}), new AbortController().signal).status(learner), 60_000);
      return learner;
    },
    stop: () => process.kill(first.pid ?? 0, 'SIGSTOP'),
    [Symbol.asyncDispose]: async () => rest.disposeAsync(),
  };
}

interface MemberOptions {
  readonly folder: string;
  readonly name: string;
  /** Listens for clients and for peers. */
  readonly ports: readonly (number | undefined)[];
  readonly args: readonly string[];
  readonly isSecure: boolean;
}

async function startMember({ folder, name, ports, args, isSecure }: MemberOptions): Promise<ServerProcess> {
  const { etcd } = await controlPlaneAssets(process.env);
  const [client, peer] = ports.map((port) => `127.0.0.1:${port}`);
  const clientUrl = `${isSecure ? 'https' : 'http'}://${client}`;
  const member = new ServerProcess(
    etcd,
    [
      `--name=${name}`,
      `--data-dir=${join(folder, name)}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=http://${peer}`,
      `--initial-advertise-peer-urls=http://${peer}`,
      '--unsafe-no-fsync',
      ...args,
    ],
    { logFolder: folder },
  );
  await member.start();
  return member;
}

/** A certificate for the server and for a client, with the user name root. The gateway would ignore that name. */
async function writeCertificates(folder: string): Promise<readonly string[]> {
  const { cert, key } = createCertificate({ commonName: 'root' });
  const [certFile, keyFile] = [join(folder, 'root.crt'), join(folder, 'root.key')];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  vi.stubEnv('ETCDCTL_CACERT', certFile);
  vi.stubEnv('ETCDCTL_CERT', certFile);
  vi.stubEnv('ETCDCTL_KEY', keyFile);
  return [
    `--cert-file=${certFile}`,
    `--key-file=${keyFile}`,
    `--trusted-ca-file=${certFile}`,
    '--client-cert-auth',
    '--enable-grpc-gateway=false',
  ];
}
