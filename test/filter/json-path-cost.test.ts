import { describe, expect, it } from 'vitest';
import { isBriefFor, shapeOf } from '../../src/filter/json-path-cost.ts';
import { normalizeJsonPath } from '../../src/filter/json-path-syntax.ts';

const isBrief = (path: string, object: unknown): boolean => isBriefFor(shapeOf(normalizeJsonPath(path)), object);
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
const long = (length: number) => ({ items: Array.from({ length }, () => 1) });

describe('a JSONPath', () => {
  it.each([
    ['$.metadata.name', long(1_000_000)],
    ["$['a.b'].c", {}],
    ['$..a', nested(100)],
    ['$.items[*]', long(10_000)],
    ['$.items[1:3]', long(10_000)],
  ])('%s is brief for an object of its size', (path, object) => {
    expect(isBrief(path, object)).toBe(true);
  });

  it.each([
    ['$..a..b', {}],
    ['$..a', nested(102)],
    ['$..a', long(6000)],
    ['$.items[*]', long(20_001)],
    ['$.items[*]', { items: ['x'.repeat(2_000_000)] }],
    [`$${'[0,0]'.repeat(7)}`, {}],
  ])('%s is not', (path, object) => {
    expect(isBrief(path, object)).toBe(false);
  });
});
