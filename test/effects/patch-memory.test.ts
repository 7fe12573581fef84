import { describe, expect, it } from 'vitest';
import { PatchMemory } from '../../src/effects/patch-memory.ts';
import { resourceKind } from '../support/kube-conversation.ts';

describe('the memory of patches', () => {
  it('knows an object again by its version', () => {
    const memory = new PatchMemory();

    expect(memory.remember('/a', '1')).toBe(false);
    expect(memory.remember('/b', '1')).toBe(false);
    expect(memory.remember('/a', '1')).toBe(true);
    expect(memory.remember('/a', '2')).toBe(false);
    expect(memory.versionOf('/a')).toBe('2');
  });

  it('forgets', () => {
    const memory = new PatchMemory();
    memory.remember('/a', '1');

    memory.forget('/a');

    expect(memory.versionOf('/a')).toBeUndefined();
  });

  it('keeps the latest ten thousand objects', () => {
    const memory = new PatchMemory();
    for (let index = 0; index < 10_000; index += 1) memory.remember(`/${index}`, '1');
    memory.remember('/0', '2');

    memory.remember('/new', '1');

    expect(memory.versionOf('/0')).toBe('2');
    expect(memory.versionOf('/1')).toBeUndefined();
    expect(memory.versionOf('/2')).toBe('1');
  });

  it.each([
    { apiVersion: 'v1', needed: false },
    { apiVersion: 'apps/v1', needed: false },
    { apiVersion: 'rbac.authorization.k8s.io/v1', needed: false },
    { apiVersion: 'example.com/v1', needed: true },
  ])('expects a version to be needed for $apiVersion: $needed', ({ apiVersion, needed }) => {
    expect(new PatchMemory().needsVersion(resourceKind(apiVersion, 'Thing'))).toBe(needed);
  });

  it('learns that a version is needed for a kind in all its versions', () => {
    const memory = new PatchMemory();

    memory.requireVersion(resourceKind('a.k8s.io/v1beta1', 'Thing'));

    expect(memory.needsVersion(resourceKind('a.k8s.io/v1', 'Thing'))).toBe(true);
    expect(memory.needsVersion(resourceKind('a.k8s.io/v1', 'Other'))).toBe(false);
  });
});
