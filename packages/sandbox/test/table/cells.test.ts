import { describe, expect, it } from 'vitest';
import {
  age,
  condition,
  containerCells,
  count,
  labelsText,
  scalarOr,
  selectorOrNone,
  selectorText,
  size,
  someOf,
  textOr,
} from '../../src/table/cells.ts';

describe('a cell', () => {
  it.each([
    ['a text', textOr('<none>', { a: { b: 'x' } }, 'a', 'b'), 'x'],
    ['no text', textOr('<none>', {}, 'a'), '<none>'],
    ['a number', count({ a: 3 }, 'a'), 3],
    ['no number', count({}, 'a'), 0],
    ['a scalar', scalarOr('-', { a: 5 }, 'a'), '5'],
    ['an object where a scalar should be', scalarOr('-', { a: {} }, 'a'), '-'],
    ['a map', size({ a: { x: 1, y: 2 } }, 'a'), 2],
    ['nothing', size({}, 'a'), 0],
    ['labels', labelsText({ b: '2', a: '1' }), 'a=1,b=2'],
    ['no labels', labelsText({}), '<none>'],
    ['a selector of everything', selectorText({}), ''],
    ['a selector that is not there', selectorOrNone({}, 'spec'), '<none>'],
    ['a short list', someOf(['a', 'b'], 3), 'a,b'],
    ['a long list', someOf(['a', 'b', 'c', 'd'], 3), 'a,b,c + 1 more...'],
    ['an age', age({ metadata: { creationTimestamp: '2025-01-01T00:00:00Z' } }, Date.UTC(2025, 0, 1, 0, 1)), '60s'],
  ])('of %s', (_, cell, text) => {
    expect(cell).toBe(text);
  });

  it('of a selector names its requirements in the order of their keys', () => {
    const matchExpressions = [
      { key: 'c', operator: 'NotIn', values: ['y', 'x'] },
      { key: 'd', operator: 'DoesNotExist' },
      { key: 'a', operator: 'Exists' },
    ];

    expect(selectorText({ matchLabels: { b: '1' }, matchExpressions })).toBe('a,b=1,c notin (x,y),!d');
  });

  it('of containers names them and their images', () => {
    const containers = [
      { name: 'a', image: 'x' },
      { name: 'b', image: 'y' },
    ];

    expect(containerCells({ spec: { containers } })).toEqual(['a,b', 'x,y']);
  });

  it('of a condition is empty where there is none', () => {
    const object = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };

    expect(condition(object, 'Ready')).toEqual({ type: 'Ready', status: 'True' });
    expect(condition(object, 'Other')).toEqual({});
  });
});
