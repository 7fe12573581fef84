import type { CoreV1Event, V1Pod } from '@kubernetes/client-node';
import { KubeError } from '../../../src/errors.ts';
import { describe, expect, it } from 'vitest';
import { until, withoutApiserver } from '../../../test/cluster/operator-rig.ts';
import { sharedControlPlane } from '../../../test/cluster/shared-control-plane.ts';
import { IDLE, kubeletRig, READY, RUNNING, scriptContainer, scriptPod, type KubeletRig } from './kubelet-rig.ts';
import { processes } from '../src/machine.ts';

const plane = sharedControlPlane();
// Of the test; some wait more than once.
const LIMIT = { timeout: 300_000 };

async function isGone({ get }: KubeletRig, pod: string): Promise<void> {
  await until(async () => {
    const answer = await get('pods', pod).catch((error: unknown) => error);
    expect(answer).toBeInstanceOf(KubeError);
    expect(answer).toMatchObject({ status: 404 });
  });
}

function waiting(reason: string, message?: RegExp): object {
  const state = { waiting: { reason, ...(message !== undefined && { message: expect.stringMatching(message) }) } };
  return { status: { phase: 'Pending', containerStatuses: [{ state }] } };
}

/** Waits until a container that was restarted so often, or more often, waits for its next start. */
async function backsOff({ get }: KubeletRig, name: string, times: number) {
  let pod: V1Pod = {};
  let restarts = 0;
  await until(async () => {
    pod = await get<V1Pod>('pods', name);
    const [status] = pod.status?.containerStatuses ?? [];
    restarts = status?.restartCount ?? 0;
    expect(restarts).toBeGreaterThanOrEqual(times);
    expect(status?.state?.waiting?.reason).toBe('CrashLoopBackOff');
  });
  return { pod, restarts };
}

describe('a pod', LIMIT, () => {
  it('whose command fails is restarted with back-off, and says why', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('bad', 'echo no disk | tee /dev/termination-log; exit 3'));

    // Who looks late sees a later one of them.
    const { pod, restarts } = await backsOff(rig, 'bad', 2);
    const message = expect.stringMatching(`^back-off ${Math.min(10, 2 ** (restarts - 1))}s restarting`);
    const terminated = { exitCode: 3, reason: 'Error', message: 'no disk\n' };
    expect(pod.status).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ ready: false, state: { waiting: { message } }, lastState: { terminated } }],
    });

    const logged = await rig.kubelet.logs(rig.nameOf('bad'));
    expect(logged).toMatch(/^(?:no disk\n)+$/);
    expect(logged.split('\n').length - 1).toBeGreaterThan(restarts);
    await until(async () => {
      const reasons = (await rig.list<CoreV1Event>('events')).map(({ reason }) => reason);
      expect(reasons).toEqual(expect.arrayContaining(['Started', 'BackOff']));
    });
    expect(pod.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', reason: 'ContainersNotReady' }),
    );
  });

  it('that is killed says so, and runs again', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('a', 'sleep 1000 & sleep 1001 & wait -n; echo lost one; sleep 1002'));
    await rig.podIs('a', READY);

    await until(async () => rig.kubelet.kill(rig.nameOf('a'), { process: /^sleep 1001$/, signal: 'SIGTERM' }));
    await until(async () => expect(await rig.kubelet.logs(rig.nameOf('a'))).toBe('lost one\n'));
    await rig.kubelet.kill(rig.nameOf('a'));

    const isAgain = (restartCount: number, reason: string): object => ({
      status: {
        containerStatuses: [{ restartCount, ready: true, lastState: { terminated: { exitCode: 137, reason } } }],
      },
    });
    await rig.podIs('a', isAgain(1, 'Error'));
    await rig.kubelet.kill(rig.nameOf('a'), { reason: 'OOMKilled' });
    await rig.podIs('a', isAgain(2, 'OOMKilled'));
  });

  it('that is deleted may end in its grace period, and tells what it did', async () => {
    const rig = await kubeletRig(plane);
    const preStop = { exec: { command: ['bash', '-c', 'echo asked > /dev/null; touch /tmp/asked'] } };
    // Before that is trapped, nothing but SIGKILL reaches the first process of a container.
    const script =
      'trap "ls /tmp/asked > /data/done; sleep 0.5; echo done >> /data/done; exit 0" TERM; echo up; sleep infinity & wait';
    await rig.create('persistentvolumeclaims', claim('data'));
    await rig.create(
      'pods',
      scriptPod('a', script, {
        container: { lifecycle: { preStop }, volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        spec: {
          terminationGracePeriodSeconds: 60,
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      }),
    );
    await until(async () => expect(await rig.kubelet.logs(rig.nameOf('a'))).toBe('up\n'));
    const startedAt = Date.now();

    await rig.remove('pods', 'a');
    await isGone(rig, 'a');

    expect(Date.now() - startedAt).toBeGreaterThan(500);
    await rig.create('pods', scriptPod('b', `cat /data/done; ${IDLE}`, reads('data')));
    await rig.podIs('b', READY);
    await until(async () => expect(await rig.kubelet.logs(rig.nameOf('b'))).toBe('/tmp/asked\ndone\n'));
  });

  it('that is deleted and does not end is killed after its grace period, then gone', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('stubborn', 'trap "" TERM; sleep infinity'));
    await rig.podIs('stubborn', READY);
    const startedAt = Date.now();

    await rig.remove('pods', 'stubborn');
    await isGone(rig, 'stubborn');

    expect(Date.now() - startedAt).toBeGreaterThan(900);
    expect(rig.kubelet.addressOf(rig.nameOf('stubborn'))).toBeUndefined();
  });

  it('that is deleted by force is gone at once, with its processes', async () => {
    const rig = await kubeletRig(plane);
    const marker = `sleep ${Math.floor(Math.random() * 1e9) + 1e9}`;
    await rig.create(
      'pods',
      scriptPod('a', `trap "" TERM; ${marker}`, { spec: { terminationGracePeriodSeconds: 60 } }),
    );
    await rig.podIs('a', READY);
    await until(async () => expect(await processes(marker)).toHaveLength(1));

    await rig.hands.call('DELETE', `/api/v1/namespaces/${rig.namespace}/pods/a`, { gracePeriodSeconds: 0 });

    await isGone(rig, 'a');
    await until(async () => expect(await processes(marker)).toEqual([]));
  });

  it('waits with ErrImagePull for an image that is not there', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('a', 'true', { container: { image: 'registry.example/none:1' } }));

    await rig.podIs(
      'a',
      waiting('ErrImagePull', /no image registry\.example\/none:1 on this machine; there are tools/),
    );
  });

  it('waits for the ConfigMap it needs, and starts when that is there', async () => {
    const rig = await kubeletRig(plane);
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }];
    await rig.create('pods', scriptPod('a', `echo "$A"; ${IDLE}`, { container: { env } }));
    await rig.podIs('a', waiting('CreateContainerConfigError', /configmap "settings" not found/));

    await rig.hands.configMap('settings', { a: 'here' });

    await rig.podIs('a', RUNNING);
    await until(async () => expect(await rig.kubelet.logs(rig.nameOf('a'))).toBe('here\n'));
  });

  it('runs its init containers first, one after the other, and its sidecars beside', async () => {
    const rig = await kubeletRig(plane);
    const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
    const step = (name: string, script: string): object => scriptContainer(script, { volumeMounts, name });
    await rig.create('pods', {
      metadata: { name: 'a' },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        volumes: [{ name: 'shared', emptyDir: {} }],
        initContainers: [
          step('one', 'sleep 0.3; echo one >> /shared/order'),
          scriptContainer(`echo side >> /shared/order; ${IDLE}`, {
            volumeMounts,
            name: 'side',
            restartPolicy: 'Always',
          }),
          step('two', 'echo two >> /shared/order'),
        ],
        containers: [step('main', 'until [ "$(wc -l < /shared/order)" = 3 ]; do sleep 0.1; done; cat /shared/order')],
      },
    });

    const pod = await rig.podIs('a', { status: { phase: 'Succeeded' } });

    const logged = await rig.kubelet.logs(rig.nameOf('a'));
    expect(logged.indexOf('one')).toBe(0);
    expect(logged.trim().split('\n').toSorted()).toEqual(['one', 'side', 'two']);
    expect(pod.status?.initContainerStatuses).toMatchObject([
      { name: 'one', ready: true, state: { terminated: { exitCode: 0 } } },
      { name: 'side', state: { terminated: {} } },
      { name: 'two', ready: true, state: { terminated: { exitCode: 0 } } },
    ]);
  });

  it('that runs longer than its deadline fails with DeadlineExceeded', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('slow', IDLE, { spec: { activeDeadlineSeconds: 1, restartPolicy: 'Never' } }));

    await rig.podIs('slow', { status: { phase: 'Failed', reason: 'DeadlineExceeded' } });
  });

  it('lives on while the API server is away, and is told of afterwards', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('a', IDLE));
    await rig.podIs('a', READY);

    await withoutApiserver(plane, async () => {
      await rig.kubelet.kill(rig.nameOf('a'));
      await until(async () => expect((await rig.kubelet.exec(rig.nameOf('a'), ['true'])).exitCode).toBe(0));
    });

    await rig.podIs('a', { status: { containerStatuses: [{ restartCount: 1, ready: true }] } });
    await rig.create('pods', scriptPod('b', IDLE));
    await rig.podIs('b', READY);
  });
});

describe('a CronJob', LIMIT, () => {
  it('runs when it is time', async () => {
    const rig = await kubeletRig(plane);
    const template = {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [scriptContainer('echo tick')] } } },
    };
    await rig.create('cronjobs.batch', {
      metadata: { name: 'tick' },
      spec: { schedule: '* * * * *', suspend: true, jobTemplate: template },
    });
    const path = `/apis/batch/v1/namespaces/${rig.namespace}/cronjobs/tick`;
    // It was last run two minutes ago, so that nobody has to wait for the next one.
    const lastScheduleTime = new Date(Date.now() - 120_000).toISOString();
    await rig.hands.patch(`${path}/status`, { status: { lastScheduleTime } });

    await rig.hands.patch(path, { spec: { suspend: false } });

    await until(async () => {
      const pods = await rig.list<V1Pod>('pods');
      expect(pods.map(({ status }) => status?.phase)).toContain('Succeeded');
    });
  });
});

function claim(name: string, storage = '16Mi'): object {
  return { metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } };
}

function reads(claimName: string): Parameters<typeof scriptPod>[2] {
  return {
    container: { volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }] },
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  };
}
