import { describe, expect, it } from 'vitest';
import { KubeError } from '../../src/errors.ts';
import type { KubeRequest } from '../../src/kube/client.ts';
import { Neighbors } from '../../src/operator/page/neighbors.ts';

const LEASE = { spec: { holderIdentity: 'a-1_x', renewTime: '2026-01-05T00:00:00.000000Z', leaseTransitions: 4 } };

function podOf(name: string, hash: string): object {
  const labels = { app: 'hooklet', 'pod-template-hash': hash };
  const status = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ restartCount: 2 }, { restartCount: 1 }],
  };
  return { metadata: { name, labels }, spec: { nodeName: 'n' }, status };
}

/** An API server with two Pods and a Lease, where `answer` does not say otherwise. */
function rig(answer: (request: KubeRequest) => unknown = () => undefined) {
  const state = { nowMs: 0 };
  const asked: string[] = [];
  const client = {
    request: async (request: KubeRequest): Promise<unknown> => {
      asked.push(`${request.path} ${request.query?.['labelSelector'] ?? ''}`.trim());
      const other = await answer(request);
      if (other !== undefined) return other;
      if (request.path.endsWith('/leases/lead')) return LEASE;
      if (request.path.endsWith('/pods')) return { items: [podOf('a-2', 'h2'), podOf('a-1', 'h1')] };
      return podOf('a-2', 'h2');
    },
  };
  const neighbors = new Neighbors({
    client,
    namespace: 'ns',
    pod: 'a-2',
    lease: 'lead',
    now: () => state.nowMs,
    limitMs: 20,
  });
  return { state, asked, look: neighbors.look };
}

describe('the replicas beside this one', () => {
  it('are the Pods with its labels, whatever their revision, and the holder of the Lease', async () => {
    const { asked, look } = rig();
    const pod = { phase: 'Running', isReady: true, restarts: 3, node: 'n' };

    expect(await look()).toEqual({
      lease: { holder: 'a-1_x', transitions: 4, renewed: '2026-01-05T00:00:00.000Z' },
      pods: [
        { name: 'a-1', ...pod },
        { name: 'a-2', ...pod },
      ],
      problems: [],
    });
    expect(asked.toSorted()).toEqual([
      '/api/v1/namespaces/ns/pods app=hooklet',
      '/api/v1/namespaces/ns/pods/a-2',
      '/apis/coordination.k8s.io/v1/namespaces/ns/leases/lead',
    ]);
  });

  it('are asked for once in 10 s, however many pages are open', async () => {
    const { state, asked, look } = rig();
    await Promise.all([look(), look(), look()]);
    state.nowMs = 9999;
    await look();
    expect(asked).toHaveLength(3);
    state.nowMs = 10_000;
    await look();
    expect(asked).toHaveLength(6);
  });

  it('are those that may be read; the rest is named with its reason', async () => {
    const { look } = rig(({ path }) => {
      if (path.includes('/pods')) throw new KubeError('pods is forbidden', { status: 403, reason: 'Forbidden' });
      return undefined;
    });

    expect(await look()).toMatchObject({
      lease: { holder: 'a-1_x' },
      pods: [],
      problems: ['the Pods beside this one cannot be read: pods is forbidden'],
    });
  });

  it('are waited for no longer than the limit, where the API server never answers', async () => {
    const { look } = rig(async () => new Promise(() => {}));

    expect(await look()).toEqual({ pods: [], problems: ['the API server has not answered within 0.02 s'] });
  });

  it.each([{}, { items: 7 }, { items: [null, { metadata: { name: 7 } }] }, null, 'x'])(
    'are none, or nameless, where the API server sends %j',
    async (odd) => {
      const { look } = rig(({ path }) => (path.endsWith('/pods') ? odd : undefined));

      expect((await look()).problems).toEqual([]);
    },
  );
});
