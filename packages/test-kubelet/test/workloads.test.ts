import type { V1PersistentVolumeClaim, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/cluster/operator-rig.ts';
import { sharedControlPlane } from '../../../test/cluster/shared-control-plane.ts';
import { IDLE, kubeletRig, READY, scriptContainer, type KubeletRig } from './kubelet-rig.ts';

const plane = sharedControlPlane();
// Of the test; some wait more than once.
const LIMIT = { timeout: 300_000 };

async function statefulSet({ create }: KubeletRig, name: string, script: string): Promise<void> {
  await create('services', {
    metadata: { name },
    spec: { clusterIP: 'None', selector: { app: name }, ports: [{ port: 80 }] },
  });
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  await create('statefulsets.apps', {
    metadata: { name },
    spec: {
      replicas: 2,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { terminationGracePeriodSeconds: 2, containers: [scriptContainer(script, { volumeMounts })] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
        },
      ],
    },
  });
}

async function replicasAreReady({ get }: KubeletRig, name: string, readyReplicas: number): Promise<void> {
  const kinds = 'statefulsets.apps';
  await until(async () => expect(await get<V1StatefulSet>(kinds, name)).toMatchObject({ status: { readyReplicas } }));
}

describe('a StatefulSet', LIMIT, () => {
  it('gets its pods with their claims, names and addresses, one after the other', async () => {
    const rig = await kubeletRig(plane);
    await statefulSet(rig, 'db', `hostname -f > /data/name; ${IDLE}`);

    await replicasAreReady(rig, 'db', 2);

    const { kubelet, namespace, nameOf, podIs } = rig;
    const first = await podIs('db-0', READY);
    const second = await podIs('db-1', READY);
    const started = ({ status }: V1Pod): number => Date.parse(String(status?.startTime));
    expect(started(first)).toBeLessThanOrEqual(started(second));
    expect(second.status?.podIP).toBe(kubelet.addressOf(nameOf('db-1')));
    expect(second.status?.podIP).not.toBe(first.status?.podIP);
    await until(async () => {
      const { stdout } = await kubelet.exec(nameOf('db-1'), ['cat', '/data/name']);
      expect(stdout).toBe(`db-1.db.${namespace}.svc.cluster.local\n`);
    });
    await until(async () => {
      const { stdout } = await kubelet.exec(nameOf('db-0'), ['getent', 'hosts', 'db-1.db']);
      expect(stdout).toContain(`${second.status?.podIP} `);
    });
    const claim = await rig.get<V1PersistentVolumeClaim>('persistentvolumeclaims', 'data-db-1');
    expect(claim.status).toMatchObject({ phase: 'Bound', capacity: { storage: '64Mi' } });
  });

  it('gets a deleted pod again, with its claim and another address', async () => {
    const rig = await kubeletRig(plane);
    await statefulSet(rig, 'db', `echo run >> /data/runs; ${IDLE}`);
    await replicasAreReady(rig, 'db', 2);
    const before = await rig.podIs('db-0', READY);
    const runs = async (): Promise<string> =>
      (await rig.kubelet.exec(rig.nameOf('db-0'), ['cat', '/data/runs'])).stdout;
    await until(async () => expect(await runs()).toBe('run\n'));

    await rig.remove('pods', 'db-0');
    await until(async () =>
      expect((await rig.get<V1Pod>('pods', 'db-0')).metadata?.uid).not.toBe(before.metadata?.uid),
    );

    const after = await rig.podIs('db-0', READY);
    expect(after.status?.podIP).not.toBe(before.status?.podIP);
    await until(async () => expect(await runs()).toBe('run\nrun\n'));
  });
});

describe('a Deployment', LIMIT, () => {
  it('is rolled', async () => {
    const rig = await kubeletRig(plane);
    const deployment = (version: string): object => ({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web', version } },
          spec: { terminationGracePeriodSeconds: 1, containers: [scriptContainer(IDLE)] },
        },
      },
    });
    await rig.create('deployments.apps', deployment('1'));
    const versions = async (): Promise<readonly unknown[]> =>
      (await rig.list<V1Pod>('pods')).map(({ metadata, status }) => [metadata?.labels?.['version'], status?.phase]);
    await until(async () =>
      expect(await versions()).toEqual([
        ['1', 'Running'],
        ['1', 'Running'],
      ]),
    );

    await rig.hands.patch(`/apis/apps/v1/namespaces/${rig.namespace}/deployments/web`, deployment('2'));

    await until(async () =>
      expect(await versions()).toEqual([
        ['2', 'Running'],
        ['2', 'Running'],
      ]),
    );
  });
});

describe('a Job', LIMIT, () => {
  const job = (script: string, fields: object = {}): object => ({
    metadata: { name: 'once' },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [scriptContainer(script)] } }, ...fields },
  });

  it('completes when its pod has succeeded', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('jobs.batch', job('echo done'));

    await until(async () =>
      expect(await rig.get('jobs.batch', 'once')).toMatchObject({
        status: { succeeded: 1, conditions: expect.anything() },
      }),
    );
    const [pod] = await rig.list<V1Pod>('pods');
    expect(pod?.status).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    });
    expect(await rig.kubelet.logs(rig.nameOf(pod?.metadata?.name ?? ''))).toBe('done\n');
  });

  it('fails when its pods have failed as often as it bears', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('jobs.batch', job('exit 7', { backoffLimit: 0 }));

    await until(async () => expect(await rig.get('jobs.batch', 'once')).toMatchObject({ status: { failed: 1 } }));
    const [pod] = await rig.list<V1Pod>('pods');
    expect(pod?.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 7, reason: 'Error' } } }],
    });
  });
});
