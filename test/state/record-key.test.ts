import { describe, expect, it } from 'vitest';
import { recordKey } from '../../src/state/record-key.ts';

describe('recordKey', () => {
  it('is readable', () => {
    expect(recordKey('backup.sh', 'nightly')).toMatch(/^backup\.sh\.nightly-[0-9a-f]{8}$/);
  });

  it.each([
    ['002-x/startup hook.sh', 'every <minute>'],
    ['ä', 'ö'],
    ['h'.repeat(300), 'b'.repeat(300)],
    ['', ''],
  ])('of %j and %j is allowed in a ConfigMap', (hook, binding) => {
    expect(recordKey(hook, binding)).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
  });

  it('differs where names differ, however alike they look', () => {
    const pairs = [
      ['a.b', 'c'],
      ['a', 'b.c'],
      ['a/b', 'c'],
      ['a-b', 'c'],
      ['a b', 'c'],
    ] as const;

    expect(new Set(pairs.map(([hook, binding]) => recordKey(hook, binding))).size).toBe(pairs.length);
  });
});
