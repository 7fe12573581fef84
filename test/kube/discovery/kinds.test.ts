import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { KindNotFoundError, KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { createKinds } from '../../../src/kube/discovery/kinds.ts';
import { AGGREGATED_CORE, AGGREGATED_GROUPS, LEGACY } from '../../support/discovery-documents.ts';

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server whose groups may change, and which counts its requests. */
function serverWith(groups: { items: readonly object[] } = AGGREGATED_GROUPS) {
  const state = { groups, count: 0, isDown: false };
  const client = {
    async request({ path }: KubeRequest) {
      if (path === '/apis') state.count += 1;
      const answer = path === '/api' ? AGGREGATED_CORE : state.groups;
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (state.isDown) throw new KubeError('no answer', { status: 0, reason: 'ECONNREFUSED' });
      return answer;
    },
  };
  return { state, kinds: createKinds(client) };
}

const later = {
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'new.example' },
      versions: [
        {
          version: 'v1',
          resources: [{ resource: 'things', responseKind: { kind: 'Thing' }, scope: 'Cluster', verbs: [] }],
        },
      ],
    },
  ],
};

async function settle<T>(promise: Promise<T>): Promise<T | Error> {
  const settled = promise.catch((error: Error) => error);
  await vi.runAllTimersAsync();
  return settled;
}

describe('kinds', () => {
  it('ask the server when they are first needed, once for all who wait', async () => {
    const { state, kinds } = serverWith();
    const before = state.count;

    const found = await settle(
      Promise.all(['pods', 'cm', 'ns', 'deploy'].map((kind) => kinds.resolve({ kind }, never).catch(() => undefined))),
    );

    expect(found).toMatchObject([undefined, { kind: 'ConfigMap' }, { kind: 'Namespace' }, { kind: 'Deployment' }]);
    expect([before, state.count]).toEqual([0, 1]);
  });

  it('find a kind that came later, and ask again no more often than once a second', async () => {
    const { state, kinds } = serverWith();
    await settle(kinds.resolve({ kind: 'cm' }, never));
    state.groups = { items: [] };
    const startedAt = Date.now();

    const missing = await settle(kinds.resolve({ kind: 'Thing' }, never));
    state.groups = later;
    const found = await settle(kinds.resolve({ kind: 'Thing' }, never));

    expect(missing).toBeInstanceOf(KindNotFoundError);
    expect(found).toMatchObject({ kind: 'Thing', apiVersion: 'new.example/v1', isNamespaced: false });
    expect(state.count).toBe(3);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1980);
  });

  it('ask once for many that are missing together', async () => {
    const { state, kinds } = serverWith();
    await settle(kinds.resolve({ kind: 'cm' }, never));

    await settle(Promise.allSettled(['a', 'b', 'c', 'd'].map((kind) => kinds.resolve({ kind: `${kind}xyz` }, never))));

    expect(state.count).toBe(2);
  });

  it('name what is like the missing kind, or else say what may be the reason', async () => {
    const { kinds } = serverWith();

    const near = await settle(kinds.resolve({ kind: 'Deployments', apiVersion: 'extensions/v1beta1' }, never));
    const far = await settle(kinds.resolve({ kind: 'Certificate' }, never));

    expect(near).toHaveProperty(
      'message',
      'the API server has no kind Deployments of extensions/v1beta1: did you mean Deployment of apps/v1?',
    );
    expect(far).toHaveProperty(
      'message',
      'the API server has no kind Certificate: is its CustomResourceDefinition installed?',
    );
  });

  it('name the groups that could not be read', async () => {
    const kinds = createKinds({
      async request({ path }: KubeRequest) {
        await Promise.resolve();
        const answer = LEGACY[path];
        if (answer === undefined) throw new KubeError(`GET ${path}: 503`, { status: 503, reason: '' });
        return answer;
      },
    });

    const missing = await settle(kinds.resolve({ kind: 'PodMetrics' }, never));

    // Another group, which could be read, has no such kind for certain.
    for (const [apiVersion, isSure] of [
      ['apps/v1', true],
      ['v1', true],
      ['metrics.k8s.io/v1beta1', false],
    ] as const) {
      expect(await settle(kinds.resolve({ kind: 'PodMetrics', apiVersion }, never))).toHaveProperty('isSure', isSure);
    }
    expect(missing).toHaveProperty('isSure', false);
    expect(missing).toHaveProperty(
      'message',
      expect.stringContaining('; discovery failed for metrics.k8s.io/v1beta1: GET /apis/metrics.k8s.io/v1beta1: 503'),
    );
  });

  it('pass a failure on, and discover again next time', async () => {
    const { state, kinds } = serverWith();
    state.isDown = true;
    const failed = await settle(kinds.resolve({ kind: 'cm' }, never));
    state.isDown = false;

    const found = await settle(kinds.resolve({ kind: 'cm' }, never));

    expect(failed).toMatchObject({ status: 0, reason: 'ECONNREFUSED' });
    expect(found).toMatchObject({ kind: 'ConfigMap' });
  });

  it('are discovered again after they were invalidated', async () => {
    const { state, kinds } = serverWith();
    await settle(kinds.resolve({ kind: 'widgets' }, never));
    state.groups = { items: [] };
    kinds.invalidate();

    const gone = await settle(kinds.resolve({ kind: 'widgets' }, never));

    expect(gone).toBeInstanceOf(KindNotFoundError);
    expect(state.count).toBe(2);
  });

  it('do not let one that gives up spoil the answer for others', async () => {
    const { state, kinds } = serverWith();
    const controller = new AbortController();
    const first = kinds.resolve({ kind: 'cm' }, controller.signal).catch((error: Error) => error);
    const second = kinds.resolve({ kind: 'cm' }, never);

    controller.abort(new Error('enough'));

    expect(await settle(first)).toEqual(new Error('enough'));
    expect(await settle(second)).toMatchObject({ kind: 'ConfigMap' });
    expect(state.count).toBe(1);
  });
});
