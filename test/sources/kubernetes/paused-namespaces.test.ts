import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { createMetrics } from '../../../src/metrics.ts';
import { createClusterAccess } from '../../../src/operator/cluster-access.ts';
import { PausedNamespaces } from '../../../src/sources/kubernetes/paused-namespaces.ts';
import { sandboxCluster, until } from '../../support/operator-rig.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

async function rig(isForbidden = false) {
  const sandbox = await sandboxForTest();
  const log = recordingLogger();
  const access = await createClusterAccess(
    { connect: sandboxCluster(sandbox), userAgent: 'test' },
    { log: recordingLogger(), metrics: createMetrics('') },
  );
  if (isForbidden) sandbox.faults.add({ type: 'status', code: 403 });
  let names: ReadonlySet<string> = new Set();
  const paused = new PausedNamespaces({ watches: access.watches, onChange: (now) => void (names = now), log });
  onTestFinished(async () => {
    paused.end();
    await access.watches.ended();
    await access.client.close();
  });
  const never = new AbortController().signal;
  const annotate = async (name: string, value: string | null): Promise<void> => {
    const body = JSON.stringify({ metadata: { annotations: { 'hooklet.dev/pause': value } } });
    const path = `/api/v1/namespaces/${name}`;
    await access.client.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }, never);
  };
  const create = async (name: string): Promise<void> => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await access.client.request({ method: 'POST', path: '/api/v1/namespaces', body }, never);
  };
  return { paused, names: () => [...names], annotate, create, log };
}

describe('the paused namespaces', () => {
  it('are those with the annotation, with any value but false', async () => {
    const { paused, names, annotate, create } = await rig();
    await paused.known;
    expect(names()).toEqual([]);
    await create('shop');
    await annotate('shop', '');
    await until(() => expect(names()).toEqual(['shop']));
    await annotate('shop', 'false');
    await until(() => expect(names()).toEqual([]));
    await annotate('default', 'until monday');
    await until(() => expect(names()).toEqual(['default']));
    await annotate('default', null);
    await until(() => expect(names()).toEqual([]));
  });

  it('are none without the right to watch them, which is said once, with the rule', async () => {
    const { paused, names, log } = await rig(true);
    await paused.known;

    expect(names()).toEqual([]);
    expect(log.lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        fields: expect.objectContaining({
          advice: 'a ClusterRole with the rule {apiGroups: [""], resources: [namespaces], verbs: [list, watch]}',
        }),
      }),
    ]);
  });
});
