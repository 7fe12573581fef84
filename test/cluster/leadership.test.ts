import { appendFileSync, cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaseLostError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator, type OperatorRig } from '../support/operator-rig.ts';
import { adminKubectl } from './admin-kubectl.ts';
import { connectAs, handsOn, until, withoutApiserver, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const plane = sharedControlPlane();
const kubectl = adminKubectl(plane);
const leaderElection = { leaseName: 'hooklet', leaseDurationMs: 12_000, renewDeadlineMs: 8000, retryPeriodMs: 500 };
const onStartup = { configVersion: 'v1', onStartup: 1 };

/** A replica that believes to be this Pod. */
function replica({ namespace }: Hands, env: Readonly<Record<string, string>>, body = ''): OperatorRig {
  return startOperator({
    connect: connectAs(plane, 'admin'),
    hooks: { 'a.sh': recordingHook(onStartup, body), 'bad.sh': recordingHook({ configVersion: 'v1', schedule: 1 }) },
    env: { POD_NAMESPACE: namespace, ...env },
    // Somebody else may lead 4 s after the renew deadline; a hook has nearly as long to end.
    operator: { leaderElection, killAfterMs: 3000 },
  });
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
    await using first = replica(hands, { POD_NAME: 'pod-1', POD_UID: uid });
    await until(() => expect(first.runs('a.sh')).toHaveLength(1));
    await using second = replica(hands, { POD_NAME: 'pod-2' });
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
      spec: { holderIdentity: expect.stringMatching(/^pod-2_/), leaseDurationSeconds: 12, leaseTransitions: 1 },
    });
  });

  it('who cannot reach the API server for longer than its deadline ends, and its hooks before it', async () => {
    const hands = await handsOn(plane);
    const body = `trap 'touch "$OUT/terminated"; exit 0' TERM\nsleep 60 & wait`;
    const leader = replica(hands, { POD_NAME: 'pod-1' }, body);
    onTestFinished(async () => Promise.resolve(leader[Symbol.asyncDispose]()).catch(() => {}));
    await until(() => expect(leader.runs('a.sh')).toHaveLength(1));

    await withoutApiserver(plane, async () => {
      await until(() => expect(existsSync(join(leader.out, 'terminated'))).toBe(true));
      await expect(leader.stop()).rejects.toThrow(LeaseLostError);
    });
  });
});

describe('the components of deploy/', () => {
  async function applyWith(name: string): Promise<string> {
    using tmp = temporaryFolder();
    const folder = join(tmp.path, 'deploy');
    cpSync(deploy, folder, { recursive: true });
    appendFileSync(join(folder, 'kustomization.yaml'), `components:\n  - components/${name}\n`);
    await kubectl(['apply', '-f', join(folder, 'namespace.yaml')]);
    return await kubectl(['apply', '--dry-run=server', '-k', folder]);
  }

  it('all-namespaces is accepted by the API server', async () => {
    const applied = await applyWith('all-namespaces');

    expect(applied).toContain('clusterrolebinding.rbac.authorization.k8s.io/hooklet-copies created (server dry run)');
    expect(applied).toContain('networkpolicy.networking.k8s.io/hooklet created (server dry run)');
    expect(applied).toContain('deployment.apps/hooklet created (server dry run)');
  });

  it.each(['events', 'leader-election', 'schedule-state'])('%s is accepted by the API server', async (name) => {
    const applied = await applyWith(name);

    expect(applied).toContain(`role.rbac.authorization.k8s.io/hooklet-${name} created (server dry run)`);
    expect(applied).toContain(`rolebinding.rbac.authorization.k8s.io/hooklet-${name} created (server dry run)`);
    expect(applied).toContain('deployment.apps/hooklet created (server dry run)');
  });
});
