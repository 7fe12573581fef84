import { describe, expect, it } from 'vitest';

import { KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { discover } from '../../../src/kube/discovery/discovery.ts';
import { AGGREGATED_CORE, AGGREGATED_GROUPS, LEGACY } from '../../support/discovery-documents.ts';

const never = new AbortController().signal;

function clientThat(answer: (request: KubeRequest) => unknown) {
  const asked: KubeRequest[] = [];
  return {
    asked,
    async request(request: KubeRequest) {
      asked.push(request);
      await Promise.resolve();
      return answer(request);
    },
  };
}

describe('discover', () => {
  it('asks an aggregating server twice and reads all kinds in its order', async () => {
    const client = clientThat(({ path }) => (path === '/api' ? AGGREGATED_CORE : AGGREGATED_GROUPS));

    const { kinds, failures } = await discover(client, never);

    expect(client.asked.map(({ path }) => path)).toEqual(['/api', '/apis']);
    expect(kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 ConfigMap',
      'v1 Event',
      'v1 Namespace',
      'apps/v1 Deployment',
      'events.k8s.io/v1 Event',
      'example.com/v2 Widget',
      'example.com/v1 Widget',
      'example.com/v1 Gadget',
    ]);
    expect(kinds[2]).toEqual({
      group: '',
      version: 'v1',
      apiVersion: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      singular: 'namespace',
      shortNames: ['ns'],
      isNamespaced: false,
      verbs: ['get', 'list', 'watch'],
      subresources: ['finalize', 'status'],
    });
    expect(kinds[7]).toMatchObject({ singular: 'gadget', shortNames: [], subresources: [], isNamespaced: true });
    expect(failures).toEqual([]);
  });

  it('says of which version an aggregating server has no fresh list', async () => {
    const versions = [
      { version: 'v1beta1', freshness: 'Stale' },
      { version: 'v1', freshness: 'Current', resources: [] },
    ];
    const group = { metadata: { name: 'metrics.k8s.io' }, versions };
    const client = clientThat(({ path }) => ({
      kind: 'APIGroupDiscoveryList',
      items: path === '/apis' ? [group] : [],
    }));

    const { failures } = await discover(client, never);

    expect(failures.map(({ groupVersion, error }) => `${groupVersion}: ${error.message}`)).toEqual([
      'metrics.k8s.io/v1beta1: its API server does not answer',
    ]);
  });

  it('prefers the aggregated form and accepts the older one', async () => {
    const client = clientThat(({ path }) => (path === '/api' ? AGGREGATED_CORE : AGGREGATED_GROUPS));

    await discover(client, never);

    expect(client.asked[0]?.accept).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
        'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
    );
  });

  it('asks group by group where the server refuses the aggregated form', async () => {
    const client = clientThat(({ path, accept }) => {
      if (accept !== undefined) throw new KubeError('not acceptable', { status: 406, reason: 'NotAcceptable' });
      return LEGACY[path] ?? { resources: [] };
    });

    const { kinds } = await discover(client, never);

    expect(kinds.map(({ kind }) => kind)).toContain('Gadget');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['groups that are words', { kind: 'APIGroupDiscoveryList', items: ['a', { versions: ['v1', { resources: 5 }] }] }],
    [
      'groups of another shape',
      { kind: 'APIGroupList', groups: [5, { name: {}, versions: { a: 1 } }], versions: 'v1' },
    ],
  ])('reads %s as a server without kinds', async (_law, answer) => {
    expect(
      await discover(
        clientThat(() => answer),
        never,
      ),
    ).toEqual({ kinds: [], failures: [] });
  });

  it('drops kinds whose paths would lead elsewhere, and reports them', async () => {
    const resource = (plural: string) => ({ resource: plural, responseKind: { kind: 'A' }, scope: 'Namespaced' });
    const items = [
      { metadata: { name: 'good.io' }, versions: [{ version: 'v1', resources: [resource('as')] }] },
      { metadata: { name: 'bad.io' }, versions: [{ version: 'v1', resources: [resource('../namespaces')] }] },
      { metadata: { name: '..' }, versions: [{ version: 'v1', resources: [resource('as')] }] },
    ];
    const client = clientThat(({ path }) => ({ kind: 'APIGroupDiscoveryList', items: path === '/apis' ? items : [] }));

    const { kinds, failures } = await discover(client, never);

    expect(kinds.map(({ apiVersion }) => apiVersion)).toEqual(['good.io/v1']);
    expect(failures.map(({ groupVersion, error }) => `${groupVersion}: ${error.message}`)).toEqual([
      'bad.io/v1: the API server sent a kind with the name "../namespaces", which may not contain "/"',
      '../v1: the API server sent a kind with the name "..", which may not be ".."',
    ]);
  });

  it('asks for at most 1,000 group versions one by one', async () => {
    const rootOf = (count: number) => ({ kind: 'APIVersions', versions: Array(count).fill('v1') });
    const answering = (count: number) =>
      clientThat(({ path }) => (path === '/api' ? rootOf(count) : { kind: 'APIGroupList' }));

    expect((await discover(answering(1000), never)).failures).toEqual([]);
    await expect(discover(answering(1001), never)).rejects.toThrow('1001 group versions, expected at most 1000');
  });

  it('rejects when the root cannot be read', async () => {
    const client = clientThat(() => {
      throw new KubeError('forbidden', { status: 403, reason: 'Forbidden' });
    });

    await expect(discover(client, never)).rejects.toThrow('forbidden');
  });
});
