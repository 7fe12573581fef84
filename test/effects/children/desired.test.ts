import { describe, expect, it } from 'vitest';
import { readDesired } from '../../../src/effects/children/desired.ts';
import { readKinds } from '../../../src/effects/children/kind-table.ts';
import { marksOf, type Parent } from '../../../src/effects/children/marks.ts';
import type { OwnedKind } from '../../../src/hook/binding.ts';
import { after, map, owned, type Json } from '../../support/children-rig.ts';
import { fixedKinds, resourceKind } from '../../support/kube-conversation.ts';
import type { DesiredChild } from '../../../src/hook/result.ts';

const KINDS = fixedKinds([
  resourceKind('v1', 'ConfigMap'),
  resourceKind('v1', 'Secret'),
  resourceKind('v1', 'Namespace', false),
  resourceKind('apps/v1', 'Deployment'),
  resourceKind('example.com/v1', 'Site'),
  resourceKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition', false),
]);
const PARENT: Parent = { apiVersion: 'example.com/v1', kind: 'Site', namespace: 'shop', name: 'site', uid: 'u-1' };
const MARKS = marksOf('sites', PARENT);

async function check(
  children: readonly (Json | DesiredChild)[],
  { owns = [owned('ConfigMap')], parent = PARENT }: { owns?: readonly OwnedKind[]; parent?: Parent } = {},
) {
  const desired = children.map((child) =>
    'object' in child && 'after' in child ? (child as DesiredChild) : after([], child),
  );
  const references = desired.map(({ object }) => ({
    apiVersion: typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '',
    kind: typeof object['kind'] === 'string' ? object['kind'] : '',
  }));
  const kinds = await readKinds(owns, references, { kinds: KINDS, signal: new AbortController().signal });
  return readDesired({ parent, marks: MARKS, desired, kinds });
}

async function messages(...args: Parameters<typeof check>): Promise<readonly string[]> {
  return (await check(...args)).problems.map(({ type, child, message }) => `${type} ${child} ${message}`);
}

it('does not look for an optional kind of which it has no child, and says of a child that the kind is not there', async () => {
  const optional = { ...owned('Thing', 'Apply'), apiVersion: 'x.io/v1', isOptional: true as const };
  const asked: string[] = [];
  const kinds: typeof KINDS = {
    ...KINDS,
    resolve: async (reference, signal) => {
      asked.push(reference.kind);
      return KINDS.resolve(reference, signal);
    },
  };
  const read = async (reference: { readonly apiVersion: string; readonly kind: string }) =>
    readKinds([owned('ConfigMap'), optional], [reference], { kinds, signal: new AbortController().signal });

  const map = await read({ apiVersion: 'v1', kind: 'ConfigMap' });
  expect(asked).toEqual(['ConfigMap', 'ConfigMap']);
  expect(map.find({ apiVersion: 'v1', kind: 'Secret' })).toMatchObject({ type: 'invalid' });
  const thing = await read({ apiVersion: 'x.io/v1', kind: 'Thing' });
  expect(thing.find({ apiVersion: 'x.io/v1', kind: 'Thing' })).toMatchObject({ type: 'kind' });
});

describe('an answer', () => {
  it.each([
    ['without a name', { apiVersion: 'v1', kind: 'ConfigMap' }, /^invalid children\[0\] .*metadata\.name is missing/],
    [
      'without a kind',
      { apiVersion: 'v1', metadata: { name: 'a' } },
      /kind is missing, expected a text such as Deployment/,
    ],
    ['without an apiVersion', { kind: 'ConfigMap', metadata: { name: 'a' } }, /apiVersion is missing/],
    ['with a name that is a number', map('a', {}, { name: 7 }), /metadata\.name received 7/],
    ['with a name that changes the path', map('../a'), /metadata\.name received "\.\.\/a", which may not contain "\/"/],
    [
      'with generateName',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } },
      /generateName cannot be used/,
    ],
    [
      'of a kind that is not owned',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      /v1\/Secret is not in owns, which has ConfigMap/,
    ],
    [
      'of a kind that nobody knows',
      { apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 'a' } },
      /x\.io\/v1\/Thing is not in owns/,
    ],
    [
      'in another namespace',
      map('a', {}, { namespace: 'other' }),
      /is in the namespace other, its parent in shop: set otherNamespaces: true/,
    ],
    ['with labels that are no object', map('a', {}, { labels: ['x'] }), /metadata\.labels received an array of 1/],
    [
      'with a label that is a number',
      map('a', {}, { labels: { n: 1 } }),
      /metadata\.labels\.n received 1, expected a text/,
    ],
    ['with an annotation that is an object', map('a', {}, { annotations: { n: {} } }), /metadata\.annotations\.n/],
    [
      'with our label changed',
      map('a', {}, { labels: { 'hooklet.dev/parent-uid': 'u-2' } }),
      /hooklet sets hooklet\.dev\/parent-uid/,
    ],
    ['with another owner', map('a', {}, { ownerReferences: [{ uid: 'u-2' }] }), /hooklet makes the parent the owner/],
  ])('with a child %s is refused', async (_, child, expected) => {
    const { problems, wanted } = await check([child, map('fine')]);

    expect(problems).toHaveLength(1);
    expect((await messages([child, map('fine')]))[0]).toMatch(expected);
    expect(wanted.length).toBeLessThan(2);
  });

  it('has the values of Secrets in texts, and a problem does not show them', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: 4_815_162_342 } };
    const problems = await messages([{ ...secret, stringData: { b: { c: 'TOPSECRET' } } }], {
      owns: [owned('Secret')],
    });

    expect(problems).toEqual([
      expect.stringContaining('data.a is a value of type number, expected a text: put it in quotes'),
      expect.stringContaining('stringData.b is a value of type object, expected a text: put it in quotes'),
    ]);
    expect(problems.join()).not.toMatch(/4815162342|TOPSECRET/);
  });

  it('reports all problems of all children at once', async () => {
    const twice = [map('a'), map('a'), { kind: 'ConfigMap' }, map('b', {}, { namespace: 'x' })];

    expect(await messages(twice)).toEqual([
      expect.stringMatching(/children\[2\]: apiVersion is missing/),
      expect.stringMatching(/children\[2\]: metadata\.name is missing/),
      expect.stringMatching(/children\[3\]: the child is in the namespace x/),
      expect.stringMatching(/children\[1\] is the same object as children\[0\]/),
    ]);
  });

  it('may not have the parent itself as a child', async () => {
    const site = { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name: 'site' } };

    expect(await messages([site], { owns: [owned('Site')] })).toEqual([expect.stringMatching(/is the parent itself/)]);
  });

  it('may have children in other namespaces and in none where the binding says so, without an owner reference', async () => {
    const owns = [
      owned('ConfigMap', 'Apply', { otherNamespaces: true }),
      owned('Namespace', 'Apply', { otherNamespaces: true }),
    ];
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };

    const { wanted, problems } = await check([map('a', {}, { namespace: 'team' }), space, map('b')], { owns });

    expect(problems).toEqual([]);
    expect(wanted.map(({ object }) => 'ownerReferences' in (object['metadata'] as Json))).toEqual([false, false, true]);
    expect(wanted.map(({ needs }) => needs)).toEqual([[1], [], []]);
    expect(await messages([space], { owns: [owned('Namespace')] })).toEqual([
      expect.stringMatching(/has no namespace/),
    ]);
  });

  it('of a parent without a namespace names the namespace of each child', async () => {
    const parent = { ...PARENT, namespace: '' };

    expect(await messages([map('a')], { parent })).toEqual([expect.stringMatching(/metadata\.namespace is missing/)]);
    expect((await check([map('a', {}, { namespace: 'x' })], { parent })).wanted[0]?.object).toMatchObject({
      metadata: { ownerReferences: [{ uid: 'u-1' }] },
    });
  });

  it('of a kind that the server lacks does not hold up the others', async () => {
    const owns = [owned('ConfigMap'), owned('Gone', 'Apply', { apiVersion: 'x.io/v1' })];

    const { wanted, problems } = await check(
      [{ apiVersion: 'x.io/v1', kind: 'Gone', metadata: { name: 'g' } }, map('a')],
      { owns },
    );

    expect(problems).toMatchObject([{ type: 'kind', child: 'Gone/g' }]);
    expect(wanted).toMatchObject([{ label: 'ConfigMap/a' }]);
  });

  it('has at most 10,000 children', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => map(`a-${index}`));

    expect(await messages(many)).toEqual([expect.stringMatching(/10001 children, expected at most 10000/)]);
  });

  it('has at most 32 MiB', async () => {
    const large = Array.from({ length: 33 }, (_, index) => map(`a-${index}`, { k: 'x'.repeat(1024 * 1024) }));

    expect(await messages(large)).toEqual([expect.stringMatching(/expected at most 33554432/)]);
  });

  it('is nested at most 200 levels deep', async () => {
    let deep: Json = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };

    expect(await messages([map('a', deep)])).toEqual([expect.stringMatching(/nested deeper than 200 levels/)]);
  });

  it('has the same hash whatever the order of its keys is', async () => {
    const one = await check([map('a', { x: '1', y: '2' })]);
    const other = await check([map('a', { y: '2', x: '1' })]);

    expect(one.wanted[0]?.hash).toBe(other.wanted[0]?.hash);
    expect((await check([map('a', { x: '1' })])).wanted[0]?.hash).not.toBe(one.wanted[0]?.hash);
  });
});

describe('after', () => {
  const deployment = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } });
  const owns = [owned('ConfigMap'), owned('Deployment')];

  it('names a child by kind and name, or all of a name', async () => {
    const { wanted } = await check(
      [
        map('web'),
        deployment('web'),
        after(['web'], map('last')),
        after(['Deployment/web'], map('one')),
        after(['web'], deployment('x')),
      ],
      { owns },
    );

    expect(wanted.map((child) => child.after)).toEqual([[], [], [0, 1], [1], [0, 1]]);
  });

  it.each([
    ['a name that no child has', [after(['b'], map('a'))], /no other child is called b/],
    ['itself', [after(['a'], map('a'))], /no other child is called a/],
    [
      'a circle',
      [after(['c'], map('a')), after(['a'], map('b')), after(['b'], map('c'))],
      /ConfigMap\/a after ConfigMap\/c after ConfigMap\/b after ConfigMap\/a/,
    ],
  ])('refuses %s', async (_, children, expected) => {
    expect(await messages(children)).toEqual([expect.stringMatching(expected)]);
  });

  it('stays fast with 10,000 children in a row', async () => {
    const row = Array.from({ length: 10_000 }, (_, index) =>
      after(index === 0 ? [] : [`a-${index - 1}`], map(`a-${index}`)),
    );

    expect((await check(row)).problems).toEqual([]);
  });

  it('refuses more than 100,000 pairs', async () => {
    const spread = Array.from({ length: 500 }, (_, index) => after(['a'], map('a', {}, { namespace: `n-${index}` })));
    const other = { owns: [owned('ConfigMap', 'Apply', { otherNamespaces: true })] };

    expect(await messages(spread, other)).toEqual([expect.stringMatching(/more than 100000 pairs/)]);
  });
});
