import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, expect } from 'vitest';
import { connect, textOf, type Client } from '@hooklet/sandbox/conformance';
import { temporaryFolder } from '../support/hook-rig.ts';
import { writeHook } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';
import { clusterConfig } from './cluster-config.ts';
import { runsIn, versionsIn, type AuditedRun } from './shards-audit.ts';
import { grantRights } from './shards-rights.ts';
import { eventually } from './solutions/eventually.ts';

/** Where an API server is, and who may do everything there. */
export interface ShardsPlane {
  readonly url: string;
  readonly ca: string;
  readonly adminToken: string;
}

export interface ShardsRigOptions {
  readonly plane: ShardsPlane;
  /** The texts of the hooks, by name, with the label that their bindings select. */
  readonly hooks: (label: string) => Readonly<Record<string, string>>;
  readonly namespaces: readonly string[];
  /** What hooks may do to ConfigMaps; default `list` and `watch`. */
  readonly hookVerbs?: readonly string[];
  /** Of every replica. */
  readonly flags?: readonly string[];
}

/** How one replica differs from others. */
export interface ReplicaOptions {
  /** A port of loopback through which it connects to the API server. */
  readonly port?: number | undefined;
}

/** Replicas of hooklet, as processes of one ServiceAccount with few rights, and the objects that they divide. */
export interface ShardsRig {
  /** That of the replicas. */
  readonly namespace: string;
  readonly namespaces: readonly string[];
  readonly admin: Client;
  /** The name of the ServiceAccount in the audit log of the API server. */
  readonly user: string;
  /** Starts a replica whose Pod has this name. */
  readonly start: (name: string, options?: ReplicaOptions) => Program;
  /** How many slices each replica holds whose Lease says that it lives, by the name of its Pod. */
  readonly slices: () => Promise<Readonly<Record<string, number>>>;
  /** Waits until replicas hold so many slices, and no others any. */
  readonly spread: (wanted: Readonly<Record<string, unknown>>, timeoutMs?: number) => Promise<void>;
  /** Writes the object of a namespace. */
  readonly put: (namespace: string, value: string, more?: object) => Promise<void>;
  /** Makes or removes a file that hooks look for: `hold-NAMESPACE`, `hold-on-REPLICA` or `go-NAMESPACE`. */
  readonly mark: (name: string, isThere: boolean) => void;
  readonly runs: () => readonly AuditedRun[];
  /** Waits until a run of the hook has ended, of any replica or one of these, for each object as it is now. */
  readonly caughtUp: (hook: string, options?: { readonly of?: readonly string[] }) => Promise<void>;
}

/** Names that hash into all parts of the space, whatever the hash. */
export function someNames(count: number): readonly string[] {
  return Array.from({ length: count }, () => `${crypto.randomUUID().slice(0, 8)}-shop`);
}

/** Makes the namespaces, an object in each, and the account of the replicas; all goes at the end of the test. */
export async function startShards(options: ShardsRigOptions): Promise<ShardsRig> {
  const { plane, hooks, namespaces, flags = [], hookVerbs = ['list', 'watch'] } = options;
  const namespace = `shards-${crypto.randomUUID().slice(0, 8)}`;
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const [hooksDir, out] = [join(folder.path, 'hooks'), join(folder.path, 'out')];
  mkdirSync(out);
  for (const [name, text] of Object.entries(hooks(namespace))) writeHook(join(hooksDir, name), text);
  const admin = connect({ ...plane, token: plane.adminToken });
  const all = [namespace, ...namespaces];
  onTestFinished(async () => {
    for (const name of all) await admin.delete(`/api/v1/namespaces/${name}`);
  }, 60_000);
  for (const name of all) expect((await admin.post('/api/v1/namespaces', { metadata: { name } })).status).toBe(201);
  const token = await grantRights(admin, { namespace, hookVerbs });
  let count = 0;

  const put: ShardsRig['put'] = async (where, value, more = {}) => {
    const path = `/api/v1/namespaces/${where}/configmaps`;
    const labels = { shards: namespace };
    const made = await admin.post(path, { metadata: { name: 'map', labels }, data: { value, ...more } });
    if (made.status === 201) return;
    expect((await admin.patch(`${path}/map`, 'merge', { data: { value, ...more } })).status).toBe(200);
  };
  for (const name of namespaces) await put(name, '0');

  const slices: ShardsRig['slices'] = async () => {
    const { body } = await admin.get(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`);
    const items: readonly Lease[] = Object(body)['items'];
    return Object.fromEntries(items.flatMap(heldBy));
  };
  const runs = (): readonly AuditedRun[] => runsIn(out);
  return {
    namespace,
    namespaces,
    admin,
    user: `system:serviceaccount:${namespace}:hooklet`,
    start(name, { port } = {}) {
      count += 1;
      const home = join(folder.path, `${count}-${name}`);
      mkdirSync(home);
      const url = port === undefined ? plane.url : `https://127.0.0.1:${port}`;
      const kubeconfig = join(home, 'kubeconfig');
      writeFileSync(kubeconfig, clusterConfig({ url, ca: plane.ca, user: 'hooklet', token }));
      const files = ['--hooks-dir', hooksDir, '--kube-config', kubeconfig, '--tmp-dir', join(home, 'tmp')];
      const args = ['start', '--shards', ...files, '--listen-address', '127.0.0.1', '--listen-port', '0'];
      const env = { POD_NAME: name, POD_NAMESPACE: namespace, REPLICA: name, OUT: out, LOG_TYPE: 'json' };
      return startProgram([...args, ...flags], { env });
    },
    slices,
    spread: async (wanted, timeoutMs = 60_000) =>
      eventually(async () => {
        const found = Object.entries(await slices()).filter(([, held]) => held > 0);
        expect(Object.fromEntries(found)).toEqual(wanted);
      }, timeoutMs),
    put,
    mark(name, isThere) {
      const file = join(out, name);
      if (isThere) writeFileSync(file, '');
      else rmSync(file, { force: true });
    },
    runs,
    caughtUp: async (hook, { of } = {}) => {
      const wanted = await currentVersions(admin, namespace);
      const found = (): readonly AuditedRun[] => runs().filter(({ replica }) => of?.includes(replica) ?? true);
      await eventually(() => expect(versionsIn(found(), hook)).toEqual(wanted), 60_000);
    },
  };
}

/**
 * Starts a replica that gets all slices, then others, and ends the first, so that these have a part each soon; returns
 * when each has called the hook `divided` for its objects.
 */
export async function startSpread(
  rig: ShardsRig,
  names: readonly string[],
  portOf: (name: string) => number | undefined = () => undefined,
): Promise<readonly Program[]> {
  const first = rig.start('first');
  await rig.spread({ first: 64 });
  const others = names.map((name) => rig.start(name, { port: portOf(name) }));
  await eventually(
    async () => expect(Object.keys(await rig.slices())).toEqual(expect.arrayContaining([...names])),
    60_000,
  );
  first.signal('SIGTERM');
  await first.ended;
  const fair = Math.floor(64 / names.length);
  const around = expect.toSatisfy((held: number) => Math.abs(held - fair) <= 2);
  await rig.spread(Object.fromEntries(names.map((name) => [name, around])));
  await rig.caughtUp('divided', { of: names });
  return others;
}

interface Lease {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly holderIdentity?: string };
}

function heldBy({ metadata, spec }: Lease): readonly (readonly [string, number])[] {
  const replica = (spec?.holderIdentity ?? '').replace(/_[^_]*$/, '');
  const [bits = '0'] = (metadata.annotations?.['hooklet.dev/slices'] ?? '').split(' ');
  const held = BigInt(`0x${bits}`).toString(2).replaceAll('0', '').length;
  return replica === '' ? [] : [[replica, held]];
}

async function currentVersions(admin: Client, label: string): Promise<ReadonlyMap<string, number>> {
  const { body } = await admin.get(`/api/v1/configmaps?labelSelector=shards%3D${label}`);
  const items: readonly Item[] = Object(body)['items'];
  return new Map(items.map(({ metadata }) => [textOf(metadata.uid), Number(metadata.resourceVersion)]));
}

interface Item {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
}
