import type { V1Container } from '@kubernetes/client-node';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/cluster/operator-rig.ts';
import { sharedControlPlane } from '../../../test/cluster/shared-control-plane.ts';
import { IDLE, kubeletRig, READY, scriptPod, TOOLS, type KubeletRig } from './kubelet-rig.ts';

const plane = sharedControlPlane();

async function output(rig: KubeletRig, pod: string): Promise<string> {
  await rig.podIs(pod, { status: { phase: 'Succeeded' } });
  return rig.kubelet.logs(rig.nameOf(pod));
}

const ONCE = { restartPolicy: 'Never' };

describe('a container', () => {
  it('gets its environment from all that a spec can name', async () => {
    const rig = await kubeletRig(plane, {
      ...TOOLS,
      app: { programs: [], entrypoint: ['printenv'], env: { FROM_IMAGE: 'i' } },
    });
    await rig.hands.configMap('settings', { a: '1', b: '2' });
    await rig.create('secrets', { metadata: { name: 'login' }, stringData: { password: 'secret' } });
    const env: V1Container['env'] = [
      { name: 'ONE', value: 'one' },
      { name: 'TWO', value: '$(ONE) $(ABSENT) $$(ONE)' },
      { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'b' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
      { name: 'OPTIONAL', valueFrom: { secretKeyRef: { name: 'none', key: 'none', optional: true } } },
      { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
    ];
    const names = ['ONE', 'TWO', 'KEY', 'PASSWORD', 'LABEL', 'LIMIT', 'FROM_IMAGE', 'C_a', 'HOSTNAME', 'IP'];
    await rig.create('pods', {
      metadata: { name: 'a', labels: { app: 'x' } },
      spec: {
        ...ONCE,
        containers: [
          {
            name: 'main',
            image: 'app',
            args: [...names, '$(ONE)_x', 'OPTIONAL'],
            env: [...env, { name: 'one_x', value: 'expanded' }],
            envFrom: [{ configMapRef: { name: 'settings' }, prefix: 'C_' }],
            resources: { limits: { memory: '64Mi' } },
          },
        ],
      },
    });

    // printenv is not content when a variable is absent.
    const pod = await rig.podIs('a', { status: { phase: 'Failed' } });

    expect(await rig.kubelet.logs(rig.nameOf('a'))).toBe(
      ['one', 'one $(ABSENT) $(ONE)', '2', 'secret', 'x', '64', 'i', '1', 'a', pod.status?.podIP, 'expanded', ''].join(
        '\n',
      ),
    );
  });

  it('finds objects as files, which follow them, and cannot write them', async () => {
    const rig = await kubeletRig(plane);
    await rig.hands.configMap('settings', { a: '1' });
    await rig.create('secrets', { metadata: { name: 'login' }, stringData: { key: 'k' } });
    const sources = [
      { secret: { name: 'login', items: [{ key: 'key', path: 'sub/key', mode: 0o400 }] } },
      { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
    ];
    const volumes = [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'all', projected: { sources } },
    ];
    const volumeMounts = [
      { name: 'settings', mountPath: '/etc/settings' },
      { name: 'settings', mountPath: '/etc/only-a', subPath: 'a' },
      { name: 'all', mountPath: '/all' },
    ];
    await rig.create('pods', scriptPod('a', IDLE, { container: { volumeMounts }, spec: { volumes } }));
    await rig.podIs('a', READY);
    const run = async (script: string): Promise<string> =>
      (await rig.kubelet.exec(rig.nameOf('a'), ['bash', '-c', `exec 2>&1; ${script}`])).stdout;
    expect(await run('cat /etc/settings/a /etc/only-a /all/sub/key /all/name; stat -L -c " %a" /all/sub/key')).toBe(
      '11ka 400\n',
    );
    expect(await run('echo 2 > /etc/settings/a')).toContain('Read-only file system');

    await rig.hands.patch(rig.hands.maps('settings'), { data: { a: '2', b: '3' } });

    await until(async () => expect(await run('cat /etc/settings/*')).toBe('23'));
  });

  it('finds the files of a deleted object as long as its pod needs them, and not those of an optional one', async () => {
    const rig = await kubeletRig(plane);
    for (const name of ['needed', 'optional']) await rig.hands.configMap(name, { [name]: '1' });
    const volumes = [
      { name: 'needed', configMap: { name: 'needed' } },
      { name: 'optional', configMap: { name: 'optional', optional: true } },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    await rig.create('pods', scriptPod('a', IDLE, { container: { volumeMounts }, spec: { volumes } }));
    await rig.podIs('a', READY);
    const files = async (): Promise<string> =>
      (await rig.kubelet.exec(rig.nameOf('a'), ['bash', '-c', 'ls /needed /optional'])).stdout;
    expect(await files()).toBe('/needed:\nneeded\n\n/optional:\noptional\n');

    await rig.remove('configmaps', 'optional');
    await until(async () => expect(await files()).toBe('/needed:\nneeded\n\n/optional:\n'));
    await rig.remove('configmaps', 'needed');
    await rig.hands.configMap('optional', { again: '1' });

    await until(async () => expect(await files()).toBe('/needed:\nneeded\n\n/optional:\nagain\n'));
  });

  it('has folders of its pod, in memory and of limited size where it says so', async () => {
    const rig = await kubeletRig(plane);
    const volumes = [
      { name: 'shared', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const script = 'echo x > /shared/x; head -c 2M /dev/zero > /memory/x; stat -c %s /memory/x; cat /shared/x';
    await rig.create('pods', scriptPod('a', script, { container: { volumeMounts }, spec: { ...ONCE, volumes } }));

    const said = await output(rig, 'a');

    expect(said).toContain('No space left on device');
    expect(said).toMatch(/1048576\nx\n$/);
  });

  it('that outgrows the limit of a folder on disk has its pod evicted', async () => {
    const rig = await kubeletRig(plane);
    const volumes = [{ name: 'tmp', emptyDir: { sizeLimit: '1Mi' } }];
    const volumeMounts = [{ name: 'tmp', mountPath: '/scratch' }];
    const script = `head -c 2M /dev/zero > /scratch/x; ${IDLE}`;
    await rig.create('pods', scriptPod('a', script, { container: { volumeMounts }, spec: { volumes } }));

    await rig.podIs('a', { status: { phase: 'Failed', reason: 'Evicted', message: expect.stringContaining('"tmp"') } });
  });

  it('runs as who it should, without rights it should not have', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('persistentvolumeclaims', {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
    const script = 'id; echo x > /data/x && stat -c "%u %g" /data/x; touch /made-here; echo to stderr > /dev/stderr';
    await rig.create(
      'pods',
      scriptPod('a', script, {
        container: {
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          },
        },
        spec: {
          ...ONCE,
          securityContext: { runAsUser: 1234, runAsGroup: 5678, fsGroup: 4321, runAsNonRoot: true },
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      }),
    );

    const said = await output(rig, 'a');

    expect(said).toContain('uid=1234 gid=5678 groups=5678,4321\n1234 4321\n');
    expect(said).toContain("touch: cannot touch '/made-here': Read-only file system");
    expect(said).toContain('to stderr');
  });

  it('is not started as root where it must not be', async () => {
    const rig = await kubeletRig(plane);
    await rig.create('pods', scriptPod('a', 'true', { spec: { securityContext: { runAsNonRoot: true } } }));

    const message = 'container has runAsNonRoot and image will run as root';
    await rig.podIs('a', {
      status: { containerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError', message } } }] },
    });
  });

  it('finds the programs and files of its image, wherever they are on this machine', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'image-'));
    onTestFinished(async () => rm(folder, { recursive: true }));
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'greet'), '#!/bin/sh\ncat /hooks/greet | wc -l; echo no > /hooks/x || ls /tmp\n', {
      mode: 0o755,
    });
    const rig = await kubeletRig(plane, {
      app: { programs: [folder], entrypoint: ['greet'], files: { '/hooks': folder } },
    });
    const securityContext = { runAsUser: 1000 };
    const container = { name: 'main', image: 'app', workingDir: '/work/here' };
    await rig.create('pods', { metadata: { name: 'a' }, spec: { ...ONCE, securityContext, containers: [container] } });

    const said = await output(rig, 'a');

    expect(said).toMatch(/^2\n/);
    expect(said).toContain('/hooks/x: ');
  });
});

describe('a container that cannot be started', () => {
  it('says why', async () => {
    const rig = await kubeletRig(plane, { app: { programs: [], files: { '/hooks': '/no/such/folder' } } });
    const container = { name: 'main', image: 'app', command: ['true'] };
    await rig.create('pods', { metadata: { name: 'a' }, spec: { ...ONCE, containers: [container] } });

    const message = expect.stringContaining('/no/such/folder');
    await rig.podIs('a', {
      status: {
        phase: 'Failed',
        containerStatuses: [{ state: { terminated: { exitCode: 128, reason: 'StartError', message } } }],
      },
    });
  });
});

describe('the credentials of a pod', () => {
  const ask = `node -e '
    const { readFileSync } = require("node:fs");
    const folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
    const headers = { authorization: "Bearer " + readFileSync(folder + "token") };
    const path = "/api/v1/namespaces/" + readFileSync(folder + "namespace") + "/" + process.argv[1];
    require("node:https").get({ host, port, path, headers, ca: readFileSync(folder + "ca.crt") }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      console.log(answer.statusCode, JSON.parse(text).message ?? "");
    });
  '`;

  it('are those of its ServiceAccount, and RBAC holds', async () => {
    const rig = await kubeletRig(plane);
    const { namespace } = rig;
    await rig.create('serviceaccounts', { metadata: { name: 'guard' } });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    await rig.create('roles.rbac', { metadata: { name: 'guard' }, rules });
    await rig.create('rolebindings.rbac', {
      metadata: { name: 'guard' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'guard' },
      subjects: [{ kind: 'ServiceAccount', name: 'guard', namespace }],
    });
    const script = `${ask} configmaps; ${ask} secrets`;
    await rig.create('pods', scriptPod('a', script, { spec: { ...ONCE, serviceAccountName: 'guard' } }));

    const said = await output(rig, 'a');

    expect(said).toMatch(/^200 \n403 /);
    expect(said).toContain(`User "system:serviceaccount:${namespace}:guard" cannot list resource "secrets"`);
    const entries = (await plane.auditLog()).filter((entry) => entry.namespace === namespace);
    expect(entries).toMatchObject([
      { user: `system:serviceaccount:${namespace}:guard`, verb: 'list', resource: 'configmaps', code: 200 },
      { user: `system:serviceaccount:${namespace}:guard`, verb: 'list', resource: 'secrets', code: 403 },
    ]);
  });

  it('are not there where the pod wants none', async () => {
    const rig = await kubeletRig(plane);
    const script = 'ls /var/run/secrets/kubernetes.io/serviceaccount || true';
    await rig.create('pods', scriptPod('a', script, { spec: { ...ONCE, automountServiceAccountToken: false } }));

    expect(await output(rig, 'a')).toContain('No such file or directory');
  });
});
