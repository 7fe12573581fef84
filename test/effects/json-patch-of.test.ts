import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPatchOf, type PatchStep } from '../../src/effects/json-patch-of.ts';

/** Carries out a patch as RFC 6902 says. */
function apply(before: unknown, steps: readonly PatchStep[]): unknown {
  const root = { value: structuredClone(before) };
  for (const step of steps) {
    const keys = ['value', ...step.path.split('/').slice(1).map(unescaped)];
    const last = keys.pop() ?? '';
    let at: unknown = root;
    for (const key of keys) at = Object.getOwnPropertyDescriptor(at, key)?.value;
    if (Array.isArray(at)) changeList(at, Number(last), step);
    else changeObject(Object(at), last, step);
  }
  return root.value;
}

function changeList(list: unknown[], index: number, step: PatchStep): void {
  list.splice(index, step.op === 'add' ? 0 : 1, ...('value' in step ? [structuredClone(step.value)] : []));
}

function changeObject(object: object, key: string, step: PatchStep): void {
  if (step.op === 'remove') expect(Reflect.deleteProperty(object, key)).toBe(true);
  else Object.defineProperty(object, key, { value: step.value, enumerable: true, configurable: true, writable: true });
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

describe('the JSON Patch of two objects', () => {
  it('makes the second of the first, whatever they are', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [before, after]: unknown[] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
        expect(apply(before, jsonPatchOf(before, after))).toEqual(after);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['nothing', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ['a field', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ op: 'replace', path: '/b', value: 3 }]],
    ['a new field', { a: {} }, { a: { 'x/y~z': 1 } }, [{ op: 'add', path: '/a/x~1y~0z', value: 1 }]],
    ['a field less', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
    ['an element in front', { a: [2, 3] }, { a: [1, 2, 3] }, [{ op: 'add', path: '/a/0', value: 1 }]],
    ['an element behind', { a: [1] }, { a: [1, 2] }, [{ op: 'add', path: '/a/1', value: 2 }]],
    ['an element less', { a: [1, 2, 3] }, { a: [1, 3] }, [{ op: 'remove', path: '/a/1' }]],
    ['within an element', { a: [{ b: 1 }, 2] }, { a: [{ b: 3 }, 2] }, [{ op: 'replace', path: '/a/0/b', value: 3 }]],
    ['null for a value', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
    ['a list for an object', { a: {} }, { a: [] }, [{ op: 'replace', path: '/a', value: [] }]],
  ])('changes no more than it must: %s', (_, before, after, steps) => {
    expect(jsonPatchOf(before, after)).toEqual(steps);
  });

  it('takes keys such as __proto__ as any other', () => {
    const after: unknown = JSON.parse('{"__proto__":{"a":1}}');

    expect(jsonPatchOf({}, after)).toEqual([{ op: 'add', path: '/__proto__', value: { a: 1 } }]);
    expect(jsonPatchOf(after, {})).toEqual([{ op: 'remove', path: '/__proto__' }]);
  });
});
