import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { connect } from '@hooklet/sandbox/conformance';
import { controlPlaneAssets, laterApiserverAsset } from './assets.ts';
import { ControlPlane, tokenOf } from './control-plane.ts';
import { startCountingRelay, type CountingRelay } from './counting-relay.ts';
import { auditedHook, lastReplicas, overlapsIn, replicasOf, type AuditedRun } from './shards-audit.ts';
import { someNames, startShards, startSpread, type ShardsPlane, type ShardsRig } from './shards-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

const GATE = '--feature-gates=ShardedListAndWatch=true';
const NAMES = ['a', 'b', 'c'];
/** Of the data of one object. */
const BYTES = 20_000;
const CHANGES = 3;

const ends = new AsyncDisposableStack();
let gated: ControlPlane | undefined;
let ungated: ControlPlane | undefined;
beforeAll(async () => {
  const kubeApiserver = await laterApiserverAsset(process.env);
  if (kubeApiserver === undefined) return;
  const assets = { ...(await controlPlaneAssets(process.env)), kubeApiserver };
  [gated, ungated] = await Promise.all([ControlPlane.start(assets, [GATE]), ControlPlane.start(assets)]);
  ends.use(gated);
  ends.use(ungated);
}, 900_000);
afterAll(async () => ends.disposeAsync(), 60_000);

/** How to reach a server of Kubernetes 1.36; without one the test is left out, and says so. */
async function reached(plane: ControlPlane | undefined, context: TestContext): Promise<ShardsPlane> {
  if (plane !== undefined) return { url: plane.url, ca: await plane.ca(), adminToken: tokenOf('admin') };
  const why = 'KUBEBUILDER_ASSETS is set, which has no kube-apiserver 1.36: server-side sharding was not tested';
  process.stderr.write(`${why}\n`);
  return context.skip(why);
}

/** Three bindings, so that one replica with all slices has 192 watches, more than the streams of one connection. */
const hooks = (label: string): Readonly<Record<string, string>> => {
  const binding = (name: string, labels: object, shard: string): object => {
    const labelSelector = { matchLabels: labels };
    return { name, apiVersion: 'v1', kind: 'ConfigMap', labelSelector, shard, concurrency: 'byObject', parallelism: 9 };
  };
  const byNamespace = binding('maps', { shards: label }, 'namespace');
  const others = ['x', 'y'].map((name) => binding(name, { other: name }, 'uid'));
  return {
    'divided.sh': auditedHook({ configVersion: 'v1', kubernetes: [byNamespace] }),
    'others.sh': auditedHook({ configVersion: 'v1', kubernetes: others.slice(0, 1) }),
    'more.sh': auditedHook({ configVersion: 'v1', kubernetes: others.slice(1) }),
  };
};

const flags = [
  '--shards-server-side',
  '--leader-election-lease-duration=6s',
  '--leader-election-renew-deadline=4s',
  '--leader-election-retry-period=1s',
];

/** Whether the server divides: it echoes the selector of a list that it has applied. */
async function echoes({ url, ca, adminToken }: ShardsPlane): Promise<boolean> {
  const selector = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x0400000000000000')";
  const admin = connect({ url, ca, token: adminToken });
  const { status, body } = await admin.get(`/api/v1/configmaps?limit=1&shardSelector=${encodeURIComponent(selector)}`);
  expect(status).toBe(200);
  return Object(body)['metadata']['shardInfo']?.selector === selector;
}

interface Play {
  readonly rig: ShardsRig;
  /** What each replica received while all objects changed, as a share of what was written of all of them. */
  readonly received: Readonly<Record<string, number>>;
  /** The share of the objects that each replica works on. */
  readonly own: Readonly<Record<string, number>>;
}

/** Three replicas, each behind a relay, get a part each; then all objects change, and the first replica is killed. */
async function play(plane: ShardsPlane): Promise<Play> {
  const rig = await startShards({ plane, hooks, namespaces: someNames(60), flags });
  const relays = new Map<string, CountingRelay>();
  const port = Number(new URL(plane.url).port);
  for (const name of NAMES) {
    const relay = await startCountingRelay(port);
    onTestFinished(async () => relay[Symbol.asyncDispose]());
    relays.set(name, relay);
  }
  const [first] = await startSpread(rig, NAMES, (name) => relays.get(name)?.port);
  const before = new Map(NAMES.map((name) => [name, relays.get(name)?.received() ?? 0]));
  for (let change = 0; change < CHANGES; change++) {
    for (const name of rig.namespaces) await rig.put(name, `${change}`, { text: 'x'.repeat(BYTES) });
  }
  await rig.caughtUp('divided');
  const written = CHANGES * rig.namespaces.length * BYTES;
  const received = NAMES.map((name) => ((relays.get(name)?.received() ?? 0) - (before.get(name) ?? 0)) / written);
  const last = [...lastReplicas(ofMaps(rig)).values()];
  const own = NAMES.map((name) => last.filter((one) => one === name).length / rig.namespaces.length);

  first?.signal('SIGKILL');
  await eventually(() => expect([...lastReplicas(ofMaps(rig)).values()]).not.toContain('a'), 60_000);
  for (const name of rig.namespaces) await rig.put(name, 'after');
  await rig.caughtUp('divided');
  const named = (values: readonly number[]) =>
    Object.fromEntries(NAMES.map((name, index) => [name, values[index] ?? 0]));
  return { rig, received: named(received), own: named(own) };
}

function ofMaps(rig: ShardsRig): readonly AuditedRun[] {
  return rig.runs().filter(({ hook }) => hook === 'divided');
}

/** Each object was in one run at a time, and came back to no replica that it had left. */
function expectDivided({ rig, own }: Play): void {
  expect(overlapsIn(rig.runs())).toEqual([]);
  expect(Object.values(own).reduce((a, b) => a + b)).toBeCloseTo(1);
  expect(Math.min(...Object.values(own))).toBeGreaterThan(0.1);
  const runs = ofMaps(rig);
  const places = rig.namespaces.map((name) => replicasOf(runs, name));
  expect(places.filter((replicas) => replicas.length !== new Set(replicas).size)).toEqual([]);
}

describe('replicas with --shards-server-side', { timeout: 240_000 }, () => {
  it('receive from a server that divides no more than their own objects, and 20 % of it', async (context) => {
    const plane = await reached(gated, context);
    expect(await echoes(plane)).toBe(true);

    const played = await play(plane);

    expectDivided(played);
    for (const name of NAMES) expect(played.received[name]).toBeLessThan((played.own[name] ?? 0) * 1.2);
  });

  it('work as well with a server of 1.36 that does not divide, though each receives all objects', async (context) => {
    const plane = await reached(ungated, context);
    expect(await echoes(plane)).toBe(false);

    const played = await play(plane);

    expectDivided(played);
    expect(Math.min(...Object.values(played.received))).toBeGreaterThan(1);
  });

  it('work as well with a server of 1.35, though each receives all objects', async () => {
    const shared = sharedControlPlane();
    const plane = { ...shared, adminToken: shared.tokenOf('admin') };
    expect(await echoes(plane)).toBe(false);

    const played = await play(plane);

    expectDivided(played);
    expect(Math.min(...Object.values(played.received))).toBeGreaterThan(1);
  });
});
