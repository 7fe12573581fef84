import { expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { CredentialsError } from '../../src/errors.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { never } from '../support/hook-rig.ts';
import { metricValues } from '../support/metric-values.ts';
import { sandboxCluster } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

it('the way to the cluster is opened without a request, and every request is measured', async () => {
  const sandbox = await sandboxForTest();
  const metrics = createMetrics('');
  const options = { connect: sandboxCluster(sandbox), userAgent: 'hooklet/1' };

  const access = await createClusterAccess(options, { log: recordingLogger(), metrics });
  expect(sandbox.requests).toEqual([]);
  const kind = await access.kinds.resolve({ kind: 'configmap' }, never);
  await access.client.request({ method: 'GET', path: '/api/v1/namespaces/default' }, never);
  await expect(access.client.request({ method: 'GET', path: '/api/v1/nope' }, never)).rejects.toThrow();
  await access.client.close();

  expect(kind.kind).toBe('ConfigMap');
  expect(metricValues(metrics, 'kubernetes_client_request_result_total')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\{code="200",method="GET",host="127\.0\.0\.1:\d+",component="main"\} \d+$/),
      expect.stringMatching(/^\{code="404",method="GET",host="127\.0\.0\.1:\d+",component="main"\} 1$/),
    ]),
  );
  expect(metricValues(metrics, 'kubernetes_client_request_latency_seconds').join('\n')).toContain('verb="GET"');
});

it('requests for patches are counted among all, and on their own', async () => {
  const sandbox = await sandboxForTest();
  const metrics = createMetrics('shell_operator_');
  const access = await createClusterAccess(
    { connect: sandboxCluster(sandbox), userAgent: 'hooklet/1' },
    { log: recordingLogger(), metrics },
  );

  await access.client.request({ method: 'GET', path: '/api/v1/namespaces/default' }, never);
  await access.patchClient.request({ method: 'GET', path: '/api/v1/namespaces/default' }, never);
  await access.patchClient.bytes({ method: 'GET', path: '/api/v1/namespaces/default' }, never);
  await access.client.close();

  const host = new URL(sandbox.url).host;
  const labels = `code="200",method="GET",host="${host}"`;
  expect(metricValues(metrics, 'shell_operator_kubernetes_client_request_result_total')).toEqual([
    `{${labels},component="main"} 3`,
  ]);
  expect(metricValues(metrics, 'object_patcher_kubernetes_client_request_result_total')).toEqual([
    `{${labels},component="object_patcher"} 2`,
  ]);
  const [latency = ''] = metricValues(metrics, 'object_patcher_kubernetes_client_request_latency_seconds');
  expect(latency).toMatch(/verb="GET",url=".*",component="object_patcher"\} 2$/);
});

it('a cluster that cannot be found rejects', async () => {
  const connect = async () => Promise.reject(new CredentialsError('no kubeconfig'));

  await expect(
    createClusterAccess({ connect, userAgent: '' }, { log: recordingLogger(), metrics: createMetrics('') }),
  ).rejects.toThrow(CredentialsError);
});
