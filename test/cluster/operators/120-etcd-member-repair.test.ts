import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { CoreV1Event } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { startKubelet } from '@hooklet/test-kubelet';
import { operatorParts } from '../../operators/kit/operator-image.ts';
import { examplesDir } from '../../support/example-rig.ts';
import { controlPlaneAssets, etcdToolAssets, kubectlAsset } from '../assets.ts';
import { forbiddenRequests, serviceAccountUser, unusedRules, type RoleRule } from '../audit.ts';
import { connectAs } from '../operator-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdApi } from '../solutions/etcd-api.ts';
import { eventually } from '../solutions/eventually.ts';

const example = join(examplesDir, '120-etcd-member-repair');
const namespace = 'example-etcd-member-repair';
const plane = sharedControlPlane();
const PODS = ['etcd-0', 'etcd-1', 'etcd-2'];
const WAIT_MS = 180_000;

/** The node, and kubectl in the namespace of the example; both end with it. */
async function startRig(): Promise<{
  readonly etcd: EtcdApi;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** The reasons of its Events, oldest first. */
  readonly told: () => Promise<readonly string[]>;
  readonly loseDisk: (pod: string) => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}> {
  await using ends = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-member-repair-'));
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  const etcdPrograms = join(folder, 'bin');
  mkdirSync(etcdPrograms, { mode: 0o755 });
  const { etcd } = await controlPlaneAssets(process.env);
  const { etcdctl, etcdutl } = await etcdToolAssets(process.env);
  for (const path of [etcd, etcdctl, etcdutl]) copyFileSync(path, join(etcdPrograms, basename(path)));
  const parts = ends.use(await operatorParts());
  const image = { ...parts.imageOf(join(example, 'hooks')), programs: [parts.programs, etcdPrograms] };
  const images = { 'registry.example.com/etcd-member-repair-example:1': image };
  const kubelet = await startKubelet({ plane, connect: connectAs(plane, 'admin'), namespaces: [namespace], images });
  ends.defer(async () => kubelet[Symbol.asyncDispose]());
  writeFileSync(join(folder, 'kubeconfig'), plane.kubeconfig('admin'), { mode: 0o600 });
  const program = await kubectlAsset(process.env);
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, ['--namespace', namespace, ...args], { env })).stdout;
  const rest = ends.move();
  return {
    etcd: new EtcdApi(PODS, (name) => kubelet.addressOf({ namespace, name }), { namespace }),
    kubectl,
    told: async () => {
      const { items }: { items: readonly CoreV1Event[] } = JSON.parse(await kubectl('get', 'events', '-o', 'json'));
      const own = items.filter(({ involvedObject }) => involvedObject.kind === 'StatefulSet');
      return own
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .flatMap(({ reason }) => (reason === 'SuccessfulCreate' || reason === undefined ? [] : [reason]));
    },
    loseDisk: async (name) => {
      await kubelet.kill({ namespace, name }, { signal: 'SIGSTOP' });
      await kubelet.wipe(namespace, `data-${name}`);
      await kubelet.kill({ namespace, name });
    },
    [Symbol.asyncDispose]: async () => rest.disposeAsync(),
  };
}

it('replaces a real member that lost its disk, loses no acknowledged write, and has the rights it uses', async () => {
  await using rig = await startRig();
  const { etcd, kubectl, told } = rig;
  await kubectl('apply', '-f', join(example, 'manifests/deploy.yaml'));
  await kubectl('apply', '-k', join(example, 'manifests/etcd'));
  await kubectl('set', 'env', 'deployment/etcd-member-repair', 'REPAIR_AFTER_SECONDS=10');
  await eventually(async () => {
    expect(await etcd.statuses()).toHaveLength(3);
    expect(await kubectl('get', 'configmap', 'etcd-cluster', '-o', 'jsonpath={.data.state}')).toBe('existing');
  }, WAIT_MS);
  await etcd.put('before', 'kept');
  const before = await etcd.members();
  const idOf = (members: typeof before, name: string) => members.find((one) => one.name === name)?.ID;

  for (const pod of PODS) {
    await rig.loseDisk(pod);
    const news = (await told()).length;
    await etcd.put(`while ${pod} is down`, 'kept');
    await eventually(async () => expect((await told()).slice(news)).toContain('Repaired'), WAIT_MS);
  }

  const after = await etcd.members();
  expect(after.map(({ name }) => name).toSorted()).toEqual(PODS);
  for (const pod of PODS) expect(idOf(after, pod)).not.toBe(idOf(before, pod));
  for (const pod of PODS) {
    expect(await etcd.heldBy(pod, 'before')).toBe('kept');
    for (const lost of PODS) expect(await etcd.heldBy(pod, `while ${lost} is down`)).toBe('kept');
  }
  const user = serviceAccountUser(namespace, 'etcd-member-repair');
  const { rules }: { rules: readonly RoleRule[] } = JSON.parse(
    await kubectl('get', 'role/etcd-member-repair', '-o', 'json'),
  );
  const entries = await plane.auditLog();
  expect(forbiddenRequests(entries, user)).toEqual([]);
  // No run was given up, no Event was told twice, and nobody changed the StatefulSet before a state was kept.
  const givenUp = ['patch configmaps hooklet-dead-letters', 'create configmaps'];
  const seldom = [...givenUp, 'patch events', 'get statefulsets.apps etcd'];
  expect(unusedRules(rules, entries, user).filter((right) => !seldom.includes(right))).toEqual([]);
});
