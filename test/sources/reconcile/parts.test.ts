import { describe, expect, it } from 'vitest';
import { openFilters } from '../../../src/filter/filters.ts';
import { watchedPart } from '../../../src/sources/reconcile/parts.ts';
import { fieldsOfReconcile } from '../../../src/sources/kubernetes/divisions.ts';
import { hookWith, reconcileBinding } from '../../support/bindings.ts';

function whatOf(expression: string): string {
  const filters = openFilters();
  try {
    const kind = {
      name: 'content',
      kind: 'ConfigMap',
      for: { type: 'jq', expression },
      keepFullObjectsInMemory: true,
    } as const;
    return watchedPart(reconcileBinding('sites'), kind, (filter) => filters.compile(filter)).what;
  } finally {
    filters.end();
  }
}

describe('what a binding watches', () => {
  it.for([
    '.metadata.name',
    ' .metadata.labels.site ',
    '.metadata.labels["shop.example.com/site"]',
    '.metadata.labels.site // empty',
    '.metadata.labels.site?',
  ])('is beside the parents where `for` can name none of another namespace: %s', (expression) => {
    expect(whatOf(expression)).toBe('beside');
  });

  it.for([
    '"*"',
    '.metadata.annotations.site',
    '.data.site',
    '.metadata.namespace + "/" + .metadata.name',
    '.metadata.labels.site // "*"',
    '.metadata.labels.site, "*"',
    '[.metadata.name, "other/site"]',
    '.metadata.labels',
  ])('may be anywhere with any other `for`: %s', (expression) => {
    expect(whatOf(expression)).toBe('anywhere');
  });
});

describe('the division of what a reconcile binding follows', () => {
  const namespaced = {
    kind: 'Site',
    group: '',
    version: 'v1',
    apiVersion: 'v1',
    plural: 'sites',
    subresources: [],
    singular: 'site',
    shortNames: [],
    verbs: ['list', 'watch'],
  };

  it('is that of its parents for what is beside them and namespaced, and whole for all else', () => {
    const binding = reconcileBinding('sites');
    const fields = fieldsOfReconcile(hookWith('site.sh', [binding]), binding);
    expect(fields?.parents({ ...namespaced, isNamespaced: true })).toBe('namespace');
    const child = { ...namespaced, kind: 'Deployment' };
    expect(fields?.part(true)({ ...child, isNamespaced: true })).toBe('namespace');
    expect(fields?.part(true)({ ...child, isNamespaced: false })).toBeUndefined();
    expect(fields?.part(false)({ ...child, isNamespaced: true })).toBeUndefined();
  });

  it('is refused anew where the scope of the parents has changed', () => {
    const binding = reconcileBinding('sites');
    const fields = fieldsOfReconcile(hookWith('site.sh', [binding]), binding);
    fields?.parents({ ...namespaced, isNamespaced: true });
    expect(() => fields?.parents({ ...namespaced, isNamespaced: false })).toThrow(/scope of \w+ has changed/);
  });

  it('is whole for the children of parents that are divided by uid', () => {
    const binding = reconcileBinding('sites', { shard: 'uid' });
    const fields = fieldsOfReconcile(hookWith('site.sh', [binding]), binding);
    expect(fields?.parents({ ...namespaced, isNamespaced: true })).toBe('uid');
    expect(fields?.part(true)({ ...namespaced, isNamespaced: true })).toBeUndefined();
  });
});
