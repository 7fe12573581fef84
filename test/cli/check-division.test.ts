import { describe, expect, it } from 'vitest';
import { describeDivision, divisionProblems } from '../../src/cli/check/division.ts';
import type { Binding } from '../../src/hook/binding.ts';
import { hookWith, kubernetesBinding, reconcileBinding, scheduleBinding } from '../support/bindings.ts';

const pods = kubernetesBinding('pods', { kind: 'Pod', apiVersion: 'v1' });
const node = { kind: 'Node', apiVersion: 'v1' } as const;
const site = { kind: 'Site', apiVersion: 'example.com/v1' } as const;

const described = (...bindings: readonly Binding[]): readonly string[] =>
  describeDivision(hookWith('hook.sh', bindings));

const problems = (...bindings: readonly Binding[]): readonly string[] =>
  divisionProblems(hookWith('hook.sh', bindings)).map(({ path, message }) => `${path}: ${message}`);

describe('describeDivision', () => {
  it.each<readonly [string, string, Binding]>([
    ['divided by namespace', 'a namespaced kind', pods],
    ['divided by uid', 'a cluster-scoped kind', kubernetesBinding('nodes', node)],
    ['divided by uid', 'a namespaced kind with shard: uid', { ...pods, shard: 'uid' }],
    ['divided by uid', 'the cluster-scoped parents of a reconcile binding', reconcileBinding('nodes', node)],
    ['divided by namespace, by uid if the kind is cluster-scoped', 'a custom resource', kubernetesBinding('s', site)],
    [
      'divided by namespace',
      'a custom resource with shard: namespace',
      reconcileBinding('s', { ...site, shard: 'namespace' }),
    ],
    ['on the replica with slice 00', 'a binding with shard: none by itself', { ...pods, shard: 'none' }],
    ['on the replica with slice 00', 'a schedule', scheduleBinding('tick')],
  ])('says "%s" of %s', (text, _, binding) => {
    expect(described(binding)).toEqual([text]);
  });

  it('says of a binding with shard: none in a divided hook that each replica follows it', () => {
    expect(described(kubernetesBinding('nodes', { ...node, shard: 'none' }), pods)).toEqual([
      'followed by each replica, and run on the replica with slice 00',
      'divided by namespace',
    ]);
  });

  it('knows that a custom resource that is shown beside others must be namespaced', () => {
    const shown = kubernetesBinding('s', site);
    expect(described(shown, { ...pods, includeSnapshotsFrom: ['s'] })).toEqual([
      'divided by namespace',
      'divided by namespace',
    ]);
  });
});

describe('divisionProblems', () => {
  it('refuses a division of a cluster-scoped kind by namespace', () => {
    expect(problems(pods, kubernetesBinding('nodes', { ...node, shard: 'namespace' }))).toEqual([
      expect.stringMatching(/^kubernetes\[1]\.shard: Node is cluster-scoped: .* say shard: uid$/),
    ]);
  });

  it('refuses a cluster-scoped kind that is shown beside a divided binding', () => {
    expect(problems({ ...pods, includeSnapshotsFrom: ['nodes'] }, kubernetesBinding('nodes', node))).toEqual([
      expect.stringMatching(/^kubernetes\[1]\.kind: Node is cluster-scoped: .* say shard: none$/),
    ]);
  });

  it('leaves a custom resource to the operator, which asks the cluster for its kind', () => {
    expect(problems(kubernetesBinding('s', { ...site, shard: 'namespace' }))).toEqual([]);
  });
});
