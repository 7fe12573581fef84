import { generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlaneAssets } from './assets.ts';
import { clusterConfig } from './cluster-config.ts';
import { freePorts } from './free-ports.ts';
import { ServerProcess } from './server-process.ts';

/** The users of the control plane; all but `admin` may do only what RBAC allows. */
export const USERS = ['admin', 'reader', 'writer', 'nobody'] as const;

/** The name of a user; its token is `<name>-token`. */
export type User = (typeof USERS)[number];

/** The bearer token of a user. */
export function tokenOf(user: User): string {
  return `${user}-token`;
}

/** A real kube-apiserver on a real etcd, with a controller manager, in a folder of its own on loopback ports. */
export class ControlPlane implements AsyncDisposable {
  readonly url: string;
  readonly #folder: string;
  readonly #etcd: ServerProcess;
  readonly #etcdUrl: string;
  readonly #apiserver: ServerProcess;
  readonly #controllers: ServerProcess;
  readonly #removeFolder = (): void => {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };

  private constructor(
    assets: ControlPlaneAssets,
    folder: string,
    {
      ports: [client = 0, peer = 0, api = 0, manager = 0],
      flags,
    }: { readonly ports: readonly number[]; readonly flags: readonly string[] },
  ) {
    this.#folder = folder;
    this.url = `https://127.0.0.1:${api}`;
    this.#etcdUrl = `http://127.0.0.1:${client}`;
    const options = { logFolder: folder };
    this.#etcd = new ServerProcess(assets.etcd, etcdFlags(folder, client, peer), options);
    this.#apiserver = new ServerProcess(
      assets.kubeApiserver,
      [...apiserverFlags(folder, api, this.#etcdUrl), ...flags],
      options,
    );
    this.#controllers = new ServerProcess(assets.kubeControllerManager, controllerFlags(folder, manager), options);
  }

  /** Starts all servers, the API server with some more flags, and returns when that one is ready. */
  static async start(assets: ControlPlaneAssets, flags: readonly string[] = []): Promise<ControlPlane> {
    const folder = await mkdtemp(join(tmpdir(), 'hooklet-control-plane-'));
    const plane = new ControlPlane(assets, folder, { ports: await freePorts(4), flags });
    // If the tests are interrupted, the servers end with this process.
    process.once('exit', plane.#removeFolder);
    try {
      await writeKeys(folder);
      await writeFile(join(folder, 'audit-policy.json'), JSON.stringify(AUDIT_POLICY));
      await plane.#etcd.start(`${plane.#etcdUrl}/health`);
      await plane.startApiserver();
      await writeFile(join(folder, 'admin.kubeconfig'), await plane.kubeconfig('admin'));
      await plane.#controllers.start();
    } catch (error) {
      await plane.stop();
      throw error;
    }
    return plane;
  }

  /** The certificate of the API server, in PEM. */
  async ca(): Promise<string> {
    return readFile(join(this.#folder, 'certificates', 'apiserver.crt'), 'utf8');
  }

  /** A kubeconfig, as JSON, for a user. */
  async kubeconfig(user: User): Promise<string> {
    return clusterConfig({ url: this.url, ca: await this.ca(), user, token: tokenOf(user) });
  }

  /** Kills the API server, and so cuts its connections. */
  async killApiserver(): Promise<void> {
    await this.#apiserver.kill();
  }

  /** Starts the API server again, on the same port with the same certificate. */
  async startApiserver(): Promise<void> {
    await this.#apiserver.start(`${this.url}/readyz`, () => this.ca());
  }

  /** Kills the controller manager: then nothing is reconciled, garbage-collected or bound. */
  async stopControllers(): Promise<void> {
    await this.#controllers.kill();
  }

  /** Starts the controller manager again. */
  async startControllers(): Promise<void> {
    await this.#controllers.start();
  }

  /** The audit log of the API server; it leaves out users that may do everything. */
  get auditLogPath(): string {
    return auditLogPath(this.#folder);
  }

  /** Compacts etcd to the current revision, so that older continue tokens and resourceVersions have expired. */
  async compactEtcd(): Promise<void> {
    const { header } = await this.#askEtcd<{ header: { revision: string } }>('range', { key: 'AA==' });
    await this.#askEtcd('compaction', { revision: header.revision, physical: true });
  }

  /** Ends all servers and removes the folder. */
  async stop(): Promise<void> {
    await Promise.all([this.#controllers.kill(), this.#apiserver.kill()]);
    await this.#etcd.kill();
    await rm(this.#folder, { recursive: true, force: true });
    process.off('exit', this.#removeFolder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #askEtcd<T>(method: string, body: unknown): Promise<T> {
    const response = await fetch(`${this.#etcdUrl}/v3/kv/${method}`, { method: 'POST', body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`etcd refuses ${method}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }
}

async function writeKeys(folder: string): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(join(folder, 'sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  const lines = USERS.map((user) => `${tokenOf(user)},${user},${user}${user === 'admin' ? ',"system:masters"' : ''}`);
  await writeFile(join(folder, 'tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** The audit policy: each request for objects, and a watch as soon as it begins. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', userGroups: ['system:masters'] },
    { level: 'None', nonResourceURLs: ['*'] },
    { level: 'Metadata' },
  ],
};

function auditLogPath(folder: string): string {
  return join(folder, 'audit.log');
}

function etcdFlags(folder: string, client: number, peer: number): readonly string[] {
  const clientUrl = `http://127.0.0.1:${client}`;
  const peerUrl = `http://127.0.0.1:${peer}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
  ];
}

function apiserverFlags(folder: string, port: number, etcdUrl: string): readonly string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
    `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
    `--audit-log-path=${auditLogPath(folder)}`,
  ];
}

function controllerFlags(folder: string, port: number): readonly string[] {
  const kubeconfig = join(folder, 'admin.kubeconfig');
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${join(folder, 'sa.key')}`,
    '--leader-elect=false',
    '--use-service-account-credentials=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--controllers=*,-node-ipam-controller,-node-route-controller,-cloud-node-lifecycle-controller',
  ];
}
