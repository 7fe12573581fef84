import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSoakRelay } from '../../bench/soak/relay.ts';
import { LeaseLostError } from '../../src/errors.ts';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { loadCluster } from '../../src/kube/credentials/load-cluster.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator, type OperatorRig } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';
import { adminKubectl } from './admin-kubectl.ts';
import { clusterConfig } from './cluster-config.ts';
import { connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const kubectl = adminKubectl(plane);
/** The defaults. */
const leaderElection = { leaseName: 'hooklet', leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
const onStartup = { configVersion: 'v1', onStartup: 1 };

interface ReplicaOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How the replica connects to the API server; by default directly. */
  readonly connect?: () => Promise<Cluster>;
}

/** A replica with the identity of a Pod. */
function replica({ namespace }: Hands, options: ReplicaOptions): OperatorRig {
  const { env, body = '', connect = connectAs(plane, 'admin') } = options;
  return startOperator({
    connect,
    hooks: { 'a.sh': recordingHook(onStartup, body), 'bad.sh': recordingHook({ configVersion: 'v1', schedule: 1 }) },
    env: { POD_NAMESPACE: namespace, ...env },
    // As in `hooklet start` with these times.
    operator: { leaderElection, killAfterMs: 4000 },
  });
}

/** Connects to the API server through a port of loopback. */
function connectThrough(port: number): () => Promise<Cluster> {
  return async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'kubeconfig');
    const url = `https://127.0.0.1:${port}`;
    writeFileSync(path, clusterConfig({ url, ca: plane.ca, user: 'admin', token: plane.tokenOf('admin') }));
    return await loadCluster({ env: {}, kubeConfigPath: path });
  };
}

function says(rig: OperatorRig): readonly string[] {
  return rig.lines.map(({ message }) => message);
}

async function makePod({ call, namespace }: Hands, name: string): Promise<string> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const made = await call('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
  return String((made as { readonly metadata: { readonly uid: string } }).metadata.uid);
}

describe('replicas on a real API server', () => {
  it('hand the Lease over, and kubectl describe tells of it and of broken hooks', async () => {
    const hands = await handsOn(plane);
    const uid = await makePod(hands, 'pod-1');
    await using first = replica(hands, { env: { POD_NAME: 'pod-1', POD_UID: uid } });
    await until(() => expect(first.runs('a.sh')).toHaveLength(1));
    await using second = replica(hands, { env: { POD_NAME: 'pod-2' } });
    await until(() => expect(says(second)).toContain('standing by'));

    await until(async () => {
      const described = await kubectl(['describe', 'pod', 'pod-1', `--namespace=${hands.namespace}`]);
      expect(described).toMatch(/Normal +LeaderElected .* hooklet +pod-1_\S+ leads by the lease /);
      expect(described).toMatch(/Warning +HookBroken .* hooklet +hook bad\.sh: its config has 1 problem/);
    });
    expect(second.runs('a.sh')).toEqual([]);
    await first.stop();

    await until(() => expect(second.runs('a.sh')).toHaveLength(1));
    const path = `/apis/coordination.k8s.io/v1/namespaces/${hands.namespace}/leases/hooklet`;
    expect(await hands.call('GET', path)).toMatchObject({
      spec: { holderIdentity: expect.stringMatching(/^pod-2_/), leaseDurationSeconds: 15, leaseTransitions: 1 },
    });
  });

  it('end all hooks of a leader that is cut off within 15 s, and another leads within 5 s of that', async () => {
    const hands = await handsOn(plane);
    const relay = await startSoakRelay(Number(new URL(plane.url).port));
    onTestFinished(async () => relay.close());
    const processes = markProcesses();
    // This process ignores SIGTERM.
    const body = `trap '' TERM; : > "$OUT/began"; sleep 600; sleep 600`;
    const connect = connectThrough(relay.port);
    const leader = replica(hands, { env: { POD_NAME: 'pod-1', ...processes.env }, body, connect });
    onTestFinished(async () => Promise.resolve(leader[Symbol.asyncDispose]()).catch(() => {}));
    await until(() => expect(existsSync(join(leader.out, 'began'))).toBe(true));
    await using other = replica(hands, { env: { POD_NAME: 'pod-2' } });
    await until(() => expect(says(other)).toContain('standing by'));

    relay.refuse(true);
    relay.cut();

    await within(15_000, () => expect(processes.pids('sleep')).toEqual([]));
    expect(other.runs('a.sh')).toEqual([]);
    await within(5000, () => expect(other.runs('a.sh')).toHaveLength(1));
    await expect(leader.stop()).rejects.toThrow(LeaseLostError);
  });
});
