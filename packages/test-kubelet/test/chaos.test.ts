import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/cluster/operator-rig.ts';
import { sharedControlPlane } from '../../../test/cluster/shared-control-plane.ts';
import { IDLE, kubeletRig, READY, scriptPod, type KubeletRig } from './kubelet-rig.ts';

const plane = sharedControlPlane();
// Of the test; some wait more than once.
const LIMIT = { timeout: 300_000 };

/** A pod with a claim at /data. */
async function podWithClaim({ create, podIs }: KubeletRig, name: string, script = IDLE): Promise<void> {
  await create('persistentvolumeclaims', {
    metadata: { name: `${name}-data` },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '4Mi' } } },
  });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: `${name}-data` } }];
  const container = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  await create('pods', scriptPod(name, script, { container, spec: { volumes } }));
  await podIs(name, READY);
}

describe('a volume', LIMIT, () => {
  it('can be looked into, wiped and corrupted', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, namespace, nameOf } = rig;
    await podWithClaim(rig, 'a', `mkdir /data/db; echo ${'x'.repeat(100)} > /data/db/wal; echo y > /data/log; ${IDLE}`);
    const folder = kubelet.volumeOf(namespace, 'a-data');
    await until(async () => expect(await readFile(join(folder, 'log'), 'utf8')).toBe('y\n'));

    await kubelet.corrupt(namespace, 'a-data', /^db\//);
    const { stdout } = await kubelet.exec(nameOf('a'), ['cat', '/data/db/wal', '/data/log']);
    expect(stdout).toHaveLength(103);
    expect(stdout).not.toContain('x'.repeat(60));
    expect(stdout).toMatch(/y\n$/);

    await kubelet.wipe(namespace, 'a-data');
    expect((await kubelet.exec(nameOf('a'), ['ls', '-A', '/data'])).stdout).toBe('');
    await writeFile(join(folder, 'seed'), 'z');
    expect((await kubelet.exec(nameOf('a'), ['cat', '/data/seed'])).stdout).toBe('z');
  });

  it('that is full gives ENOSPC until there is space again', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, namespace, nameOf } = rig;
    await podWithClaim(rig, 'a');
    const write = (name: string, kilobytes: number): Promise<{ readonly exitCode: number; readonly stderr: string }> =>
      kubelet.exec(nameOf('a'), ['dd', 'if=/dev/zero', `of=/data/${name}`, 'bs=1024', `count=${kilobytes}`]);
    expect(await write('one', 1024)).toMatchObject({ exitCode: 0 });

    const release = await kubelet.fillDisk(namespace, 'a-data');
    expect(await write('two', 64)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching('No space left on device'),
    });
    await release();

    expect(await write('three', 1024)).toMatchObject({ exitCode: 0 });
    expect(await write('four', 4096)).toMatchObject({ exitCode: 1 });
  });

  it('that is slow is so after a restart and in a new pod, until it is quick again', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, nameOf, remove } = rig;
    // What it starts is slow as well.
    const script = `while :; do
      before=$(date +%s%N); sync /data/file; echo $((($(date +%s%N) - before) / 1000000)); sleep 0.05
    done`;
    await podWithClaim(rig, 'a', `touch /data/file; ${script}`);
    const lasts = async (test: (ms: number) => boolean): Promise<void> => {
      const before = (await kubelet.logs(nameOf('a'))).length;
      await until(async () => {
        // The first one may have begun before.
        const taken = (await kubelet.logs(nameOf('a'))).slice(before).split('\n').slice(1, -1).map(Number);
        expect(taken.length).toBeGreaterThan(1);
        expect(taken.slice(-2).every(test)).toBe(true);
      });
    };
    const isSlow = (ms: number): boolean => ms >= 200;
    await lasts((ms) => !isSlow(ms));

    const release = await kubelet.slowDisk(nameOf('a'), 200);
    await expect(kubelet.slowDisk(nameOf('a'), 200)).rejects.toThrow('is slow already');
    await lasts(isSlow);
    await kubelet.kill(nameOf('a'));
    await rig.podIs('a', { status: { containerStatuses: [{ restartCount: 1 }] } });
    await lasts(isSlow);
    await remove('pods', 'a');
    await until(async () => expect(rig.get('pods', 'a')).rejects.toMatchObject({ status: 404 }));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'a-data' } }];
    const container = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    await rig.create('pods', scriptPod('a', script, { container, spec: { volumes } }));
    await rig.podIs('a', READY);
    await lasts(isSlow);

    await release();
    await lasts((ms) => !isSlow(ms));
  });

  it('is gone from the cluster as soon as its node has ended, though its claim is there', async () => {
    const rig = await kubeletRig(plane);
    await podWithClaim(rig, 'a');
    const claim = await rig.get<V1PersistentVolumeClaim>('persistentvolumeclaims', 'a-data');
    const volume = `/api/v1/persistentvolumes/${claim.spec?.volumeName}`;
    expect(await rig.hands.call('GET', volume)).toMatchObject({ status: { phase: 'Bound' } });

    await rig.end();

    await expect(rig.hands.call('GET', volume)).rejects.toMatchObject({ status: 404 });
    const left = await rig.get<V1PersistentVolumeClaim>('persistentvolumeclaims', 'a-data');
    expect(left.metadata?.uid).toBe(claim.metadata?.uid);
  });

  it('is another, empty one when its claim was made anew', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, namespace, nameOf, remove, get } = rig;
    await podWithClaim(rig, 'a', `touch /data/old; ${IDLE}`);
    const folder = kubelet.volumeOf(namespace, 'a-data');
    await until(async () => expect(await readdir(folder)).toEqual(['old']));
    const { spec } = await get<V1PersistentVolumeClaim>('persistentvolumeclaims', 'a-data');

    await remove('persistentvolumeclaims', 'a-data');
    await remove('pods', 'a');
    await until(async () => {
      for (const [kind, name] of [
        ['pods', 'a'],
        ['persistentvolumeclaims', 'a-data'],
      ] as const) {
        await expect(get(kind, name)).rejects.toMatchObject({ status: 404 });
      }
    });
    await podWithClaim(rig, 'a');

    expect((await kubelet.exec(nameOf('a'), ['ls', '-A', '/data'])).stdout).toBe('');
    await until(async () => {
      const volume = rig.hands.call('GET', `/api/v1/persistentvolumes/${spec?.volumeName}`);
      await expect(volume).rejects.toMatchObject({ status: 404 });
    });
  });
});

const SERVER =
  'exec node -e \'require("node:net").createServer((s) => s.on("error", () => {}).end("heard")).listen(7000)\'';

function listener({ kubelet, nameOf }: KubeletRig): (from: string, to: string, seconds?: number) => Promise<string> {
  return async (from, to, seconds = 30) => {
    const script = `exec 3<> /dev/tcp/${kubelet.addressOf(nameOf(to))}/7000 && cat <&3`;
    return (await kubelet.exec(nameOf(from), ['timeout', String(seconds), 'bash', '-c', script])).stdout;
  };
}

describe('a pod that is cut off', LIMIT, () => {
  it('neither hears nor is heard, lives on, and comes back', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, nameOf, create, podIs } = rig;
    const readinessProbe = { tcpSocket: { port: 7000 }, periodSeconds: 1, failureThreshold: 1 };
    for (const name of ['a', 'b']) await create('pods', scriptPod(name, SERVER, { container: { readinessProbe } }));
    for (const name of ['a', 'b']) await podIs(name, READY);
    const listen = listener(rig);
    expect([await listen('a', 'b'), await listen('b', 'a')]).toEqual(['heard', 'heard']);

    const rejoin = await kubelet.cutOff(nameOf('a'));
    expect(await Promise.all([listen('a', 'b', 1), listen('b', 'a', 1), listen('a', 'a')])).toEqual(['', '', 'heard']);
    await podIs('a', {
      status: { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 0 }] },
    });
    await rejoin();

    await until(async () => expect([await listen('a', 'b'), await listen('b', 'a')]).toEqual(['heard', 'heard']));
    await podIs('a', READY);
  });

  it('to one other only, loses what it sends there, and nothing else', async () => {
    const rig = await kubeletRig(plane);
    const { kubelet, nameOf, create, podIs } = rig;
    for (const name of ['a', 'b', 'c']) await create('pods', scriptPod(name, SERVER));
    for (const name of ['a', 'b', 'c']) await podIs(name, READY);
    const listen = listener(rig);
    const heard = async (): Promise<readonly string[]> =>
      Promise.all([listen('a', 'b', 2), listen('a', 'c'), listen('b', 'c'), listen('c', 'a')]);
    await until(async () => expect(await heard()).toEqual(['heard', 'heard', 'heard', 'heard']));

    const unmute = await kubelet.mute(nameOf('a'), [nameOf('b')]);

    expect(await heard()).toEqual(['', 'heard', 'heard', 'heard']);
    await podIs('b', READY);
    await unmute();
    await until(async () => expect(await heard()).toEqual(['heard', 'heard', 'heard', 'heard']));
  });
});
