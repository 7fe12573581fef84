import { describe, expect, it } from 'vitest';
import { Kinds } from '../src/kinds.ts';
import { labelValueProblems, nameProblems, qualifiedNameProblems } from '../src/object-names.ts';

describe('names', () => {
  it.each([
    ['', 'configmaps', 'a.b-c', 0],
    ['', 'configmaps', 'Bad_Name', 1],
    ['', 'configmaps', 'x'.repeat(254), 1],
    ['', 'namespaces', 'a.b', 1],
    ['', 'services', '1a', 1],
    ['', 'services', 'a1', 0],
    ['rbac.authorization.k8s.io', 'roles', 'system:a:b', 0],
    ['rbac.authorization.k8s.io', 'roles', 'a/b', 1],
    ['rbac.authorization.k8s.io', 'roles', '..', 1],
  ])('%s %s %s breaks %d rules', (group, plural, name, count) => {
    const kind = new Kinds().find(group, 'v1', plural);

    expect(kind && nameProblems(kind, name)).toHaveLength(count);
  });

  it.each([
    ['a', 0],
    ['example.com/a', 0],
    ['a b', 1],
    ['a/b/c', 1],
    ['/a', 1],
    ['a/', 2],
    ['-a', 1],
    [`a/${'x'.repeat(64)}`, 1],
  ])('the key %s breaks %d rules', (key, count) => {
    expect(qualifiedNameProblems(key)).toHaveLength(count);
  });

  it.each([
    ['', 0],
    ['a_b.c-d', 0],
    ['a b', 1],
    ['x'.repeat(64), 1],
  ])('the label value %j breaks %d rules', (value, count) => {
    expect(labelValueProblems(value)).toHaveLength(count);
  });
});
