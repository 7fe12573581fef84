import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/cluster/operator-rig.ts';
import { sharedControlPlane } from '../../../test/cluster/shared-control-plane.ts';
import { IDLE, kubeletRig, READY, scriptPod, type KubeletRig } from './kubelet-rig.ts';

const plane = sharedControlPlane();
// Of the test; some wait more than once.
const LIMIT = { timeout: 300_000 };

const NOT_READY = {
  status: {
    phase: 'Running',
    conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'False' })]),
  },
};

/** Answers 200 under `/well` while there is a file of that name in /tmp, and says its host name. */
const SERVER = `node -e '
  const { existsSync } = require("node:fs");
  require("node:http").createServer((request, response) => {
    response.writeHead(existsSync("/tmp" + request.url) ? 200 : 503).end(require("node:os").hostname());
  }).listen(8080);
  process.on("SIGTERM", () => process.exit(0));
'`;

function server(name: string, script = `touch /tmp/well; exec ${SERVER}`): object {
  return {
    metadata: { name, labels: { app: 'web' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: 'tools',
          command: ['bash', '-c', script],
          ports: [{ name: 'http', containerPort: 8080 }],
          readinessProbe: { httpGet: { path: '/well', port: 'http' }, periodSeconds: 1, failureThreshold: 1 },
        },
      ],
    },
  };
}

/** The addresses a name has inside a pod. */
async function addresses({ kubelet, nameOf }: KubeletRig, pod: string, name: string): Promise<readonly string[]> {
  const { stdout } = await kubelet.exec(nameOf(pod), ['getent', 'ahostsv4', name]);
  return [...new Set(stdout.split('\n').map((line) => line.split(' ')[0] ?? ''))]
    .filter((word) => word !== '')
    .toSorted();
}

describe('readiness', LIMIT, () => {
  it('follows the probe, and a Service name resolves to the ready pods alone', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, nameOf, create, podIs } = rig;
    await create('services', {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 8080 }] },
    });
    for (const name of ['a', 'b']) await create('pods', server(name));
    await create('pods', scriptPod('client', IDLE));
    const a = (await podIs('a', READY)).status?.podIP ?? '';
    const b = (await podIs('b', READY)).status?.podIP ?? '';
    await podIs('client', READY);
    await until(async () => expect(await addresses(rig, 'client', 'web')).toEqual([a, b].toSorted()));

    await kubelet.exec(nameOf('a'), ['rm', '/tmp/well']);

    await podIs('a', NOT_READY);
    for (const name of ['web', `web.${rig.namespace}`, `web.${rig.namespace}.svc.cluster.local`]) {
      await until(async () => expect(await addresses(rig, 'client', name)).toEqual([b]));
    }
    const ask = 'fetch("http://web:8080/well").then((answer) => answer.text()).then(console.log)';
    // Its probe, too, may be slow once.
    await until(async () => {
      const { stdout } = await kubelet.exec(nameOf('client'), ['node', '-e', ask]);
      expect(stdout).toBe('b\n');
    });

    await kubelet.exec(nameOf('a'), ['touch', '/tmp/well']);

    await podIs('a', READY);
    const slices = '/apis/discovery.k8s.io/v1/namespaces';
    await until(async () =>
      expect(JSON.stringify(await rig.hands.call('GET', `${slices}/${rig.namespace}/endpointslices`))).toContain(a),
    );
  });

  it('is no condition for a name where the Service publishes addresses that are not ready', async () => {
    const rig = await kubeletRig(plane);
    const { create, podIs } = rig;
    const spec = { clusterIP: 'None', selector: { app: 'web' }, ports: [{ port: 8080 }] };
    await create('services', { metadata: { name: 'ready' }, spec });
    await create('services', { metadata: { name: 'all' }, spec: { ...spec, publishNotReadyAddresses: true } });
    await create('pods', server('a', `exec ${SERVER}`));
    const { status } = await podIs('a', NOT_READY);

    await until(async () => expect(await addresses(rig, 'a', 'all')).toEqual([status?.podIP]));

    expect(await addresses(rig, 'a', 'ready')).toEqual([]);
  });

  it('waits for the startup probe', async () => {
    const rig = await kubeletRig(plane);
    const startupProbe = { exec: { command: ['test', '-e', '/tmp/up'] }, periodSeconds: 1, failureThreshold: 600 };
    await rig.create('pods', scriptPod('a', IDLE, { container: { startupProbe } }));
    const isStarted = (started: boolean): object => ({ status: { containerStatuses: [{ started, ready: started }] } });
    await rig.podIs('a', { status: { phase: 'Running', containerStatuses: [{ started: false, ready: false }] } });

    await rig.kubelet.exec(rig.nameOf('a'), ['touch', '/tmp/up']);

    await rig.podIs('a', isStarted(true));
  });

  it('needs the conditions that are its gates', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('a', IDLE, { spec: { readinessGates: [{ conditionType: 'example.com/ok' }] } }));
    await rig.podIs('a', NOT_READY);

    const conditions = [{ type: 'example.com/ok', status: 'True', lastTransitionTime: new Date().toISOString() }];
    const path = `/api/v1/namespaces/${rig.namespace}/pods/a/status`;
    const pod = await rig.get<V1Pod>('pods', 'a');
    await rig.hands.patch(path, { status: { conditions: [...(pod.status?.conditions ?? []), ...conditions] } });

    await rig.podIs('a', READY);
  });
});

describe('a container that is not alive any more', LIMIT, () => {
  it('is restarted, and an Event says what its probe found', async () => {
    const rig = await kubeletRig(plane);
    const livenessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 1 };
    await rig.create('pods', scriptPod('a', IDLE, { container: { livenessProbe } }));

    // It never is for long, so it may have been restarted more than once.
    await until(async () => {
      const [status] = (await rig.get<V1Pod>('pods', 'a')).status?.containerStatuses ?? [];
      expect(status).toMatchObject({ ready: true });
      expect(status?.restartCount).toBeGreaterThan(0);
    });

    await until(async () =>
      expect(await rig.list('events')).toContainEqual(
        expect.objectContaining({
          reason: 'Unhealthy',
          message: expect.stringMatching(/^Liveness probe failed: dial tcp/),
        }),
      ),
    );
  });
});
