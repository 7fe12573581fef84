import { describe, expect, it } from 'vitest';
import { jsonPath } from '../../src/table/json-path.ts';

const object = {
  spec: { color: 'red', 'a.b': 1, parts: [{ name: 'x', size: 1 }, { name: 'y' }], none: null },
};

describe('the JSONPath of a column', () => {
  it.each([
    ['.spec.color', ['red']],
    ['.spec.a\\.b', [1]],
    [".spec['a.b']", [1]],
    ['.spec.parts[0].name', ['x']],
    ['.spec.parts[-1].name', ['y']],
    ['.spec.parts[*].name', ['x', 'y']],
    ['.spec.parts[?(@.name=="y")].name', ['y']],
    ['.spec.parts[?(@.name != "y")].name', ['x']],
    ['.spec.parts[?(@.size)].name', ['x']],
    ['.spec.parts[?(@.size==1)].name', ['x']],
    ['..name', ['x', 'y']],
    ['.spec.none', [null]],
    ['.spec.missing.deeper', []],
    ['.spec.parts[5]', []],
    ['.spec.color.deeper', []],
    ['', [object]],
  ])('%s finds %j', (path, values) => {
    expect(jsonPath(path)?.(object)).toEqual(values);
  });

  it.each(['spec', '.spec[', '.spec.parts[?(1)]', '.spec.parts[a:b]'])('is not %s', (path) => {
    expect(jsonPath(path)).toBeUndefined();
  });
});
