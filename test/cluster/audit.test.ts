import { describe, expect, it } from 'vitest';
import { connect } from '@hooklet/sandbox/conformance';
import { forbiddenRequests, readAuditLog, serviceAccountUser, unusedRules, type AuditEntry } from './audit.ts';
import { until } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const user = serviceAccountUser('shop', 'guard');

function asked(verb: string, resource: string, fields: Partial<AuditEntry> = {}): AuditEntry {
  return { user, verb, group: '', resource, subresource: '', namespace: 'shop', name: '', code: 200, ...fields };
}

describe('the rules of a role', () => {
  it.each([
    ['nothing was asked for', [], ['get pods', 'list pods']],
    ['one of its verbs was used', [asked('get', 'pods')], ['list pods']],
    ['a watch listed', [asked('get', 'pods'), asked('watch', 'pods')], []],
    ['another resource was used', [asked('get', 'secrets'), asked('list', 'pods')], ['get pods']],
    [
      'another group was used',
      [asked('get', 'pods', { group: 'metrics.k8s.io' }), asked('list', 'pods')],
      ['get pods'],
    ],
    ['a subresource was used', [asked('get', 'pods', { subresource: 'log' }), asked('list', 'pods')], ['get pods']],
    ['somebody else used it', [asked('get', 'pods', { user: 'reader' }), asked('list', 'pods')], ['get pods']],
    ['the request was refused', [asked('get', 'pods', { code: 403 }), asked('list', 'pods')], ['get pods']],
    ['the object was absent', [asked('get', 'pods', { code: 404 }), asked('list', 'pods')], []],
  ])('are unused as far as they are when %s', (_, entries, unused) => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];

    expect(unusedRules(rules, entries, user)).toEqual(unused);
  });

  it('are used by each name that they give', () => {
    const rules = [
      { apiGroups: ['apps'], resources: ['statefulsets/scale'], verbs: ['patch'], resourceNames: ['a', 'b'] },
    ];
    const entries = [asked('patch', 'statefulsets', { group: 'apps', subresource: 'scale', name: 'a' })];

    expect(unusedRules(rules, entries, user)).toEqual(['patch statefulsets/scale.apps b']);
  });
});

it.each([
  [201, []],
  [200, ['create configmaps']],
])('the right to create is used by an apply that was answered %d: unused are %j', (code, unused) => {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] }];

  expect(unusedRules(rules, [asked('patch', 'configmaps', { name: 'a', code })], user)).toEqual(unused);
});

describe('the audit log', () => {
  it('has a request once, as it ended, and no line that is half written', () => {
    const event = (stage: string, code: number): string =>
      JSON.stringify({
        auditID: '1',
        stage,
        verb: 'watch',
        user: { username: user },
        objectRef: { apiGroup: 'apps', resource: 'statefulsets', namespace: 'shop' },
        responseStatus: { code },
      });

    const text = [event('ResponseStarted', 200), event('ResponseComplete', 504), event('Panic', 1).slice(0, 40)].join(
      '\n',
    );

    expect(readAuditLog(text)).toEqual([asked('watch', 'statefulsets', { group: 'apps', code: 504 })]);
  });

  it('of the control plane tells what its users were granted and refused', async () => {
    const plane = sharedControlPlane();
    const nobody = connect({ ...plane, token: plane.tokenOf('nobody') });
    const name = `audit-${crypto.randomUUID()}`;

    await nobody.get(`/api/v1/namespaces/${name}/pods/a`);

    await until(async () => {
      const entries = (await plane.auditLog()).filter(({ namespace }) => namespace === name);
      expect(entries).toEqual([asked('get', 'pods', { user: 'nobody', namespace: name, name: 'a', code: 403 })]);
      expect(forbiddenRequests(entries, 'nobody')).toEqual([`get pods ${name}/a`]);
    });
  });
});
