import { expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';

const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
});

it('runs a hook whose config has no configVersion: at the start, and for each event of its own', async () => {
  const sandbox = await sandboxForTest();
  await sandbox.call('POST', COLLECTION, configMap('before'));
  const config = { onStartup: 1, onKubernetesEvent: [{ name: 'maps', kind: 'configmap', event: ['add', 'delete'] }] };
  await using operator = startOperator({
    hooks: { 'v0.sh': recordingHook(config) },
    connect: sandboxCluster(sandbox),
  });
  const about = { binding: 'maps', resourceKind: 'ConfigMap', resourceNamespace: 'default', resourceName: 'new' };

  await until(() => expect(operator.contexts('v0.sh')).toEqual([{ binding: 'onStartup' }]));
  await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  await sandbox.call('POST', COLLECTION, configMap('new'));
  await until(() => expect(operator.runs('v0.sh')).toHaveLength(2));
  await sandbox.call('DELETE', `${COLLECTION}/new`);

  await until(() => {
    expect(operator.runs('v0.sh')).toEqual([
      [{ binding: 'onStartup' }],
      [{ ...about, resourceEvent: 'add' }],
      [{ ...about, resourceEvent: 'delete' }],
    ]);
  });
});
