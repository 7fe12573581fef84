import { describe, expect, it } from 'vitest';
import { differenceOf } from '../../src/rights/difference.ts';
import { grantedBy, type PlacedObject } from '../../src/rights/granted.ts';
import type { Need } from '../../src/rights/need.ts';

const of = { type: 'hook', hook: 'a.sh' } as const;

function need(text: string, fields: Partial<Need> = {}): Need {
  const [verb = '', resource = '', namespace = ''] = text.split(' ');
  return { verb, resource, group: '', namespace, of, reason: 'it does', ...fields };
}

function placed(...objects: readonly object[]): readonly PlacedObject[] {
  return objects.map((object, index) => ({ file: 'r.yaml', line: index + 1, object: { ...object } }));
}

const apiVersion = 'rbac.authorization.k8s.io/v1';
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const clusterRole = { apiVersion, kind: 'ClusterRole', metadata: { name: 'c' }, rules: [rule] };
const role = { apiVersion, kind: 'Role', metadata: { name: 'r', namespace: 'a' }, rules: [rule] };

function binding(kind: string, to: object, namespace?: string): object {
  return { apiVersion, kind, metadata: { name: 'b', namespace }, roleRef: to };
}

function missing(needs: readonly Need[], objects: readonly PlacedObject[]): readonly string[] {
  return differenceOf(needs, grantedBy(objects).grants).missing.map(
    ({ verbs, resource, namespace }) => `${verbs.join()} ${resource} ${namespace}`,
  );
}

describe('what is missing', () => {
  it.each([
    ['nothing, where a ClusterRole has it for all namespaces', [need('get pods a')], [clusterRole], []],
    ['what a Role has elsewhere', [need('get pods b')], [role], ['get pods b']],
    ['what a Role has in one namespace, and is needed in all', [need('get pods')], [role], ['get pods ']],
    ['a subresource', [need('get pods/log a')], [role], ['get pods/log a']],
    ['another group', [need('get pods a', { group: 'x.dev' })], [role], ['get pods a']],
    [
      'any name, where one is granted',
      [need('get pods a'), need('get pods a', { name: 'x' })],
      [{ ...role, rules: [{ ...rule, resourceNames: ['x'] }] }],
      ['get pods a'],
    ],
    [
      'nothing, where wildcards grant it',
      [need('get pods/log a')],
      [{ ...role, rules: [{ apiGroups: ['*'], resources: ['*/log'], verbs: ['*'] }] }],
      [],
    ],
    [
      'what a ClusterRole grants where no RoleBinding binds it',
      [need('get pods a'), need('get pods b')],
      [clusterRole, binding('RoleBinding', { kind: 'ClusterRole', name: 'c' }, 'a')],
      ['get pods b'],
    ],
    [
      'nothing of an aggregated ClusterRole, which has the rules of those it selects',
      [need('get pods a')],
      [
        {
          ...clusterRole,
          metadata: { name: 'all' },
          rules: [],
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'all' } }] },
        },
        { ...clusterRole, metadata: { name: 'part', labels: { to: 'all' } } },
        binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'all' }),
      ],
      [],
    ],
    [
      'nothing that a built-in ClusterRole has',
      [need('create tokenreviews', { group: 'authentication.k8s.io' })],
      [binding('ClusterRoleBinding', { kind: 'ClusterRole', name: 'system:auth-delegator' })],
      [],
    ],
  ])('is %s', (_, needs, objects, expected) => {
    expect(missing(needs, placed(...objects))).toEqual(expected);
  });

  it('is told apart where it is optional', () => {
    const difference = differenceOf([need('get events a', { isOptional: true })], []);

    expect(difference.missing).toEqual([]);
    expect(difference.missingOptional).toHaveLength(1);
  });
});

describe('what is granted', () => {
  it('is unused by verb and name, and a wildcard is named as one', () => {
    const rules = [rule, { apiGroups: ['*'], resources: ['*'], verbs: ['get'] }];
    const { grants } = grantedBy(placed({ ...role, rules }));

    const { unused, wildcards } = differenceOf([need('get pods a')], grants);

    expect(unused).toEqual(['list pods in the namespace a, by Role r (r.yaml:1)']);
    expect(wildcards).toEqual(['get *.* in the namespace a, by Role r (r.yaml:1)']);
  });

  it('does not count where nobody is bound to it, and what is bound is asked for', () => {
    const objects = placed(clusterRole, binding('RoleBinding', { kind: 'Role', name: 'other' }, 'a'));

    const { grants, notes } = grantedBy(objects);

    expect(grants).toEqual([]);
    expect(notes).toEqual([
      'r.yaml:2: binds Role other, which is not in these files: give its file too',
      'r.yaml:1: ClusterRole c is bound to nobody, so it does not count',
    ]);
  });
});

describe('a manifest that cannot be compared', () => {
  it('is told what, where, what it has and what to do, all at once', () => {
    const rules = [{ verbs: 'get', apiGroups: [''], resources: [1], resourceName: ['x'] }, 'get'];

    expect(grantedBy(placed({ ...role, rules })).problems).toEqual([
      'r.yaml:1: rules[0].resourceName: received ["x"], expected one of apiGroups, resources, verbs, resourceNames, nonResourceURLs',
      'r.yaml:1: rules[0].verbs: received "get", expected a list of strings',
      'r.yaml:1: rules[0].resources: received [1], expected a list of strings',
      'r.yaml:1: rules[1]: received "get", expected an object with apiGroups, resources and verbs',
    ]);
    expect(grantedBy(placed({ ...role, rules: 7 })).problems).toEqual([
      'r.yaml:1: rules: received 7, expected a list of rules',
    ]);
    expect(grantedBy(placed({ apiVersion: 'apps/v1', kind: 'Deployment' })).problems).toEqual([
      'r.yaml:1: kind: received "Deployment", expected a Role or ClusterRole: give the manifest with the rules of the account',
    ]);
    expect(grantedBy([]).problems).toEqual([
      'the manifest is empty, expected a Role or ClusterRole: give the manifest with the rules of the account',
    ]);
  });
});
