import { describe, expect, it } from 'vitest';
import { dryChangeOf } from '../../src/operator/dry-run/dry-change.ts';
import { dryRequest } from '../../src/operator/dry-run/dry-client.ts';
import { changeText, fieldChanges } from '../../src/operator/dry-run/field-changes.ts';
import { objectPath, placeOfPath } from '../../src/operator/dry-run/object-place.ts';

describe('a request as a dry run', () => {
  it.each(['POST', 'PUT', 'PATCH'] as const)('has it in the query for %s, beside what is there', (method) => {
    const request = { method, path: '/api/v1/namespaces/a/pods', query: { fieldManager: 'x' }, body: '{}' };

    expect(dryRequest(request)).toEqual({ ...request, query: { fieldManager: 'x', dryRun: 'All' } });
  });

  it('has it in the body of a deletion too, for with a body the API server does not look at the query', () => {
    const path = '/api/v1/namespaces/a/pods/b';
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u' } });

    const [withBody, without] = [dryRequest({ method: 'DELETE', path, body }), dryRequest({ method: 'DELETE', path })];

    expect(withBody.query).toEqual({ dryRun: 'All' });
    expect(JSON.parse(String(withBody.body))).toEqual({ ...JSON.parse(body), dryRun: ['All'] });
    expect(JSON.parse(String(without.body))).toEqual({ apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] });
  });

  it.each([
    { method: 'GET', path: '/api/v1/pods' },
    { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews' },
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews' },
  ] as const)('is as it was for $method $path, which changes nothing', (request) => {
    expect(dryRequest(request)).toBe(request);
  });
});

describe('the place of a path', () => {
  it.each([
    ['/api/v1/namespaces/a', { apiVersion: 'v1', resource: 'namespaces', namespace: '', name: 'a', subresource: '' }],
    [
      '/api/v1/namespaces/a/status',
      { apiVersion: 'v1', resource: 'namespaces', namespace: '', name: 'a', subresource: 'status' },
    ],
    ['/api/v1/namespaces/a/pods', { apiVersion: 'v1', resource: 'pods', namespace: 'a', name: '', subresource: '' }],
    [
      '/apis/apps/v1/namespaces/a/deployments/b/scale',
      { apiVersion: 'apps/v1', resource: 'deployments', namespace: 'a', name: 'b', subresource: 'scale' },
    ],
    [
      '/apis/x.dev/v1/sites/a%3Ab',
      { apiVersion: 'x.dev/v1', resource: 'sites', namespace: '', name: 'a:b', subresource: '' },
    ],
    ['/healthz', undefined],
  ])('%s', (path, expected) => {
    const place = placeOfPath(path);

    expect(place).toEqual(expected);
    if (place?.subresource === 'scale')
      expect(objectPath(path, place)).toBe('/apis/apps/v1/namespaces/a/deployments/b');
  });
});

describe('the fields that differ', () => {
  it('are those that somebody meant, each with both values', () => {
    const before = {
      metadata: { uid: 'a', resourceVersion: '1', labels: { 'a.b/c': 'x' } },
      spec: { list: [1, { a: 1 }], gone: [1] },
    };
    const after = {
      metadata: { uid: 'b', resourceVersion: '2', managedFields: [] },
      spec: { list: [1, { a: 2 }], gone: [1, 2], new: {} },
    };

    const texts = fieldChanges(before, after).map((change) => changeText(change, false));

    expect(texts).toEqual([
      'metadata.labels."a.b/c": "x" (removed)',
      'spec.list.1.a: 1 → 2',
      'spec.gone: [1] → [1,2]',
      'spec.new: {} (new)',
    ]);
  });

  it('are bounded, and a Secret says none of its values, not even where kubectl applied it', () => {
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key-${index}`, `value-${index}`]));
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(data) };
    const change = dryChangeOf('a.sh', {
      verb: 'patch',
      path: '/api/v1/namespaces/a/secrets/s',
      place: { apiVersion: 'v1', resource: 'secrets', namespace: 'a', name: 's', subresource: '' },
      before: { type: 'object', object: { kind: 'Secret' } },
      after: { kind: 'Secret', metadata: { annotations }, data, stringData: data },
    });

    expect(change).toMatchObject({ change: 'change', moreFields: 161 });
    expect(change?.fields).toHaveLength(40);
    expect(JSON.stringify(change)).not.toContain('value-');
  });

  it('are not known where the object cannot be read, and nothing is told of what would not change', () => {
    const write = {
      verb: 'patch',
      path: '/api/v1/namespaces/a/pods/p',
      place: { apiVersion: 'v1', resource: 'pods', namespace: 'a', name: 'p', subresource: '' },
      after: { metadata: { resourceVersion: '2' } },
    } as const;

    expect(dryChangeOf('a.sh', { ...write, before: { type: 'unknown', reason: 'forbidden' } })).toMatchObject({
      change: 'unknown',
      note: 'it cannot be read, so what would change is not known: forbidden',
    });
    expect(dryChangeOf('a.sh', { ...write, before: { type: 'object', object: { metadata: {} } } })).toBeUndefined();
    expect(
      dryChangeOf('a.sh', { ...write, verb: 'delete', before: { type: 'absent' }, after: undefined }),
    ).toBeUndefined();
  });
});
