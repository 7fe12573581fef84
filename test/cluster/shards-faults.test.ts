import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';
import type { Program } from '../support/program.ts';
import { within } from '../support/within.ts';
import { withoutApiserver } from './operator-rig.ts';
import { auditedHook, lastReplicas, overlapsIn, type AuditedRun } from './shards-audit.ts';
import { someNames, startShards, startSpread, type ShardsRig } from './shards-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

const plane = sharedControlPlane();
const never = new AbortController().signal;
const NAMES = ['a', 'b', 'c'];

/** Leases whose loss is seen within seconds. */
const flags = [
  '--leader-election-lease-duration=6s',
  '--leader-election-renew-deadline=4s',
  '--leader-election-retry-period=1s',
];

/** Creates a ConfigMap that names the run, so that nothing is applied twice unseen. */
const CREATE = `jq -nc --arg name "did-$REPLICA-$RUN_ID-$name" --arg namespace "$namespace" \\
    '{operation: "Create", object: {apiVersion: "v1", kind: "ConfigMap", metadata: {$name, $namespace}}}' >> "$KUBERNETES_PATCH_PATH"`;

const VERBS = ['list', 'watch', 'create'];

async function startRig(): Promise<ShardsRig> {
  const hooks = (label: string): Readonly<Record<string, string>> => {
    const labelSelector = { matchLabels: { shards: label } };
    const binding = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', labelSelector, concurrency: 'byObject' };
    const config = { configVersion: 'v1', kubernetes: [{ ...binding, parallelism: 20 }] };
    return { 'divided.sh': auditedHook(config, CREATE) };
  };
  const access = { ...plane, adminToken: plane.tokenOf('admin') };
  return startShards({ plane: access, hooks, namespaces: someNames(30), flags, hookVerbs: VERBS });
}

/** Three replicas with a part each; those of `held` are at work on all objects of their parts, without an end. */
async function atWork(rig: ShardsRig, held: readonly string[]): Promise<ReadonlyMap<string, Program>> {
  const programs = await startSpread(rig, NAMES);
  const own = held.flatMap((name) => ownOf(rig, name));
  for (const name of held) rig.mark(`hold-on-${name}`, true);
  for (const name of rig.namespaces) await rig.put(name, 'held');
  await eventually(() => expect(openRuns(rig)).toHaveLength(own.length), 60_000);
  expect(own.length).toBeGreaterThan(1);
  return new Map(programs.map((program, index) => [NAMES[index] ?? '', program]));
}

function openRuns(rig: ShardsRig): readonly AuditedRun[] {
  return rig.runs().filter(({ hasEnded }) => !hasEnded);
}

/** The namespaces whose last run so far was at this replica. */
function ownOf(rig: ShardsRig, replica: string): readonly string[] {
  const last = lastReplicas(rig.runs());
  return rig.namespaces.filter((name) => last.get(name) === replica);
}

/** How many changes of runs of a replica were applied in a namespace. */
async function appliedBy(rig: ShardsRig, namespace: string, replica: string): Promise<number> {
  const { body } = await rig.admin.get(`/api/v1/namespaces/${namespace}/configmaps`);
  const items: readonly { readonly metadata: { readonly name: string } }[] = Object(body)['items'];
  return items.filter(({ metadata }) => metadata.name.startsWith(`did-${replica}-`)).length;
}

describe('a replica with a part of the objects', { timeout: 240_000 }, () => {
  it('is killed: others work on all of its objects within 12 s, twice its Lease, and on none before its run has ended', async () => {
    const rig = await startRig();
    const replicas = await atWork(rig, ['a']);

    replicas.get('a')?.signal('SIGKILL');

    await within(12_000, () => expect(ownOf(rig, 'a')).toEqual([]));
    await rig.caughtUp('divided');
    expect(overlapsIn(rig.runs())).toEqual([]);
  });

  it('stands still until its Lease is gone: its runs have ended before, nothing of it is applied afterwards, and it exits', async () => {
    const rig = await startRig();
    const replicas = await atWork(rig, ['a']);
    // This one ends while its replica stands still, and has asked for a change.
    const [ended = ''] = ownOf(rig, 'a');
    const runs = (): readonly AuditedRun[] =>
      rig.runs().filter(({ replica, objects }) => replica === 'a' && objects.some((one) => one.namespace === ended));
    const applied = await appliedBy(rig, ended, 'a');

    replicas.get('a')?.signal('SIGSTOP');
    rig.mark(`go-${ended}`, true);
    await eventually(() => expect(runs().at(-1)?.hasEnded).toBe(true), 5000);
    await within(15_000, () => expect(ownOf(rig, 'a')).toEqual([]));
    await rig.caughtUp('divided');
    replicas.get('a')?.signal('SIGCONT');

    expect(await replicas.get('a')?.ended).toBe(1);
    expect(overlapsIn(rig.runs())).toEqual([]);
    expect(await appliedBy(rig, ended, 'a')).toBe(applied);
    expect(await appliedBy(rig, ended, lastReplicas(rig.runs()).get(ended) ?? '')).toBe(1);
  });
});

describe('an API server that is away for a minute', { timeout: 240_000 }, () => {
  it('ends all replicas and their runs, and those that are started anew share all objects, each in one run at a time', async () => {
    const rig = await startRig();
    const replicas = await atWork(rig, NAMES);
    const others = ['d', 'e', 'f'];

    await withoutApiserver(plane, async () => {
      await sleep(20_000, never);
      expect([...replicas.values()].map((replica) => replica.hasEnded())).toEqual([true, true, true]);
      for (const name of others) rig.start(name);
      await sleep(40_000, never);
    });
    const fair = expect.toSatisfy((count: number) => count >= 20 && count <= 23);
    await rig.spread({ d: fair, e: fair, f: fair });
    await rig.caughtUp('divided', { of: others });
    for (const name of rig.namespaces) await rig.put(name, 'after');

    await rig.caughtUp('divided');
    expect(overlapsIn(rig.runs())).toEqual([]);
  });
});
