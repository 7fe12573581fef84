import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestsJson, manifestsYaml } from '../../src/rights/manifest-text.ts';
import { manifestsOf, type ManifestOptions } from '../../src/rights/manifests.ts';
import type { Need } from '../../src/rights/need.ts';
import { risksOf } from '../../src/rights/risks.ts';

const options: ManifestOptions = {
  account: { namespace: 'shop', name: 'guard' },
  isPerHook: false,
  withWebhooks: false,
};

function need(text: string, fields: Partial<Need> = {}): Need {
  const [verb = '', resource = '', namespace = ''] = text.split(' ');
  return { verb, resource, group: '', namespace, of: { type: 'hooklet' }, reason: 'it does', ...fields };
}

const of = (hook: string) => ({ of: { type: 'hook', hook } }) as const;
const webhook = need('patch validatingwebhookconfigurations', {
  group: 'admissionregistration.k8s.io',
  name: 'x-hooks',
});

function objectsIn(text: string): readonly unknown[] {
  return parseAllDocuments(text).map((document) => document.toJS());
}

describe('the manifests', () => {
  it('are a Role and a RoleBinding in each namespace, else a ClusterRole, with the reasons above each rule', () => {
    const text = manifestsYaml(
      manifestsOf(
        [need('watch pods', of('a.sh')), need('get secrets a', { name: 's' }), need('list pods', of('a.sh'))],
        options,
      ),
      ['Made.'],
    );

    expect(text).toBe(`# Made.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: guard
rules:
  # hook a.sh: it does
  - apiGroups: [""]
    resources: [pods]
    verbs: [list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: guard
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: guard
subjects:
  - kind: ServiceAccount
    name: guard
    namespace: shop
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: guard
  namespace: a
rules:
  # hooklet: it does
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [s]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: guard
  namespace: a
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: guard
subjects:
  - kind: ServiceAccount
    name: guard
    namespace: shop
`);
  });

  it('are the same, in whatever order the needs are found', () => {
    const needs = ['get pods a', 'list pods', 'create configmaps a', 'get pods/log a', 'watch pods'].map((text) =>
      need(text, of(text)),
    );

    expect(manifestsOf(needs.toReversed(), options)).toEqual(manifestsOf(needs, options));
  });

  it('never have a name on create, for RBAC does not know it, beside names on get', () => {
    const rules = manifestsOf([need('get configmaps a', { name: 'x' }), need('create configmaps a')], options).flatMap(
      (one) => (one.type === 'role' ? one.rules : []),
    );

    expect(rules).toMatchObject([
      { verbs: ['create'], names: [] },
      { verbs: ['get'], names: ['x'] },
    ]);
  });

  it('have an account for each hook, whose rights hooklet has as well', () => {
    const manifests = manifestsOf([need('get pods a', of('b/C d.sh')), need('get pods a')], {
      ...options,
      isPerHook: true,
    });

    expect(manifests.map(({ type }) => type)).toEqual(['role', 'binding', 'account', 'role', 'binding']);
    expect(manifests.at(2)).toMatchObject({ account: { namespace: 'shop', name: 'guard-b-c-d-sh' } });
    expect(manifests.at(4)).toMatchObject({ subjects: [{ name: 'guard-b-c-d-sh' }, { name: 'guard' }] });
  });

  it('have the power over webhooks in a ClusterRole of its own, and only when it is asked for', () => {
    expect(manifestsOf([webhook], options)).toEqual([]);
    expect(risksOf([webhook], false)).toEqual([expect.stringContaining('give --webhooks')]);
    expect(risksOf([webhook], true)).toEqual([]);
    const [role] = manifestsOf([webhook], { ...options, withWebhooks: true });

    expect(role).toMatchObject({ name: 'guard-webhooks', rules: [{ names: ['x-hooks'], verbs: ['patch'] }] });
  });

  it('are read back as they are meant, whatever hooks are called', () => {
    const odd = need('get pods a', of('x\n- apiGroups: ["*"] # "y"\u2028'));
    const yes = need('get pods yes');
    const manifests = manifestsOf([odd, yes], options);

    const listed: unknown = JSON.parse(manifestsJson(manifests));
    const read = objectsIn(manifestsYaml(manifests, ['a\nb: c']));

    expect(read).toHaveLength(4);
    expect(read).toMatchObject([
      { kind: 'Role', metadata: { namespace: 'a' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
      { kind: 'RoleBinding' },
      { kind: 'Role', metadata: { namespace: 'yes' } },
      { kind: 'RoleBinding' },
    ]);
    expect(listed).toMatchObject({ kind: 'List', items: [{ kind: 'Role' }, {}, {}, {}] });
  });

  it('say it loudly where every Secret can be read', () => {
    const secrets = need('list secrets');

    expect(manifestsYaml(manifestsOf([secrets], options), [])).toContain('# WARNING: this reads every Secret');
    expect(risksOf([secrets], false)).toEqual([expect.stringContaining('every Secret of the cluster can be read')]);
    expect(risksOf([need('list secrets a'), need('list secrets', { name: 'x' })], false)).toEqual([]);
  });

  it.each([
    ['roles', 'escalate'],
    ['clusterroles', 'escalate'],
    ['rolebindings', 'bind'],
    ['clusterrolebindings', 'bind'],
  ])('of who writes %s never have the verb %s, and it is told', (resource, verb) => {
    const needs = [need(`create ${resource}`, { group: 'rbac.authorization.k8s.io' })];

    expect(risksOf(needs, false)).toEqual([expect.stringContaining(`the verb ${verb}, which is never made here`)]);
    const rules = manifestsOf(needs, options).flatMap((one) => (one.type === 'role' ? one.rules : []));
    expect(rules.flatMap(({ verbs }) => verbs)).toEqual(['create']);
  });
});
