import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import type { Read } from '../../src/hook/config-reader.ts';
import {
  readFieldSelector,
  readLabelSelector,
  readNameSelector,
  readNamespace,
} from '../../src/hook/config-selector.ts';

function read<T>(
  reader: Read<T>,
  value: unknown,
): { readonly value: T | undefined; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  return { value: reader(value, { path: '', issues }), issues };
}

describe('readLabelSelector', () => {
  it('accepts labels and expressions', () => {
    const selector = {
      matchLabels: { 'app.kubernetes.io/name': 'x', tier: '' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['1', '2'] },
        { key: 'b', operator: 'Exists' },
        { key: 'c', operator: 'DoesNotExist', values: [] },
      ],
    };

    expect(read(readLabelSelector, selector)).toEqual({ value: selector, issues: [] });
  });

  it.each<[string, unknown, string, string]>([
    ['an empty selector', {}, '', 'got {}, expected some of matchLabels, matchExpressions'],
    [
      'a number as a label',
      { matchLabels: { a: 1 } },
      'matchLabels.a',
      'got 1, expected a string that is a label value',
    ],
    ['a bad label', { matchLabels: { a: '-x' } }, 'matchLabels.a', 'got "-x", expected a string that is a label value'],
    ['a bad key', { matchLabels: { 'a b': 'x' } }, 'matchLabels["a b"]', 'got "a b", expected a label key'],
    ['a long key', { matchLabels: { ['k'.repeat(64)]: 'x' } }, `matchLabels.${'k'.repeat(64)}`, 'expected a label key'],
    [
      'an unknown operator',
      { matchExpressions: [{ key: 'a', operator: 'Foo' }] },
      'matchExpressions[0].operator',
      'got "Foo", expected one of In, NotIn, Exists, DoesNotExist',
    ],
    [
      'In without values',
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      'matchExpressions[0].values',
      'operator In needs at least one value',
    ],
    [
      'Exists with values',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
      'matchExpressions[0].values',
      'got ["x"], expected none with operator Exists',
    ],
    [
      'an expression without a key',
      { matchExpressions: [{ operator: 'Exists' }] },
      'matchExpressions[0].key',
      'missing, expected a label key',
    ],
    ['a misspelt field', { matchLabel: {} }, 'matchLabel', 'unknown field, did you mean matchLabels?'],
  ])('refuses %s', (_law, value, path, message) => {
    expect(read(readLabelSelector, value).issues).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
});

describe('readFieldSelector', () => {
  it.each([
    ['=', '='],
    ['==', '='],
    ['Equals', '='],
    ['!=', '!='],
    ['NotEquals', '!='],
  ])('reads the operator %s as %s', (operator, short) => {
    const selector = { matchExpressions: [{ field: 'status.phase', operator, value: 'Running' }] };

    expect(read(readFieldSelector, selector)).toEqual({
      value: [{ field: 'status.phase', operator: short, value: 'Running' }],
      issues: [],
    });
  });

  it('needs all three of field, operator and value', () => {
    expect(
      read(readFieldSelector, { matchExpressions: [{}, { field: 'a', operator: 'In', value: 'x' }] }).issues,
    ).toEqual([
      { path: 'matchExpressions[0].field', message: 'missing, expected a field such as metadata.name' },
      { path: 'matchExpressions[0].operator', message: 'missing, expected =, == or !=' },
      { path: 'matchExpressions[0].value', message: 'missing, expected a string' },
      { path: 'matchExpressions[1].operator', message: 'got "In", expected one of =, ==, Equals, !=, NotEquals' },
    ]);
  });

  it('needs matchExpressions', () => {
    expect(read(readFieldSelector, {}).issues).toMatchObject([{ path: 'matchExpressions' }]);
  });
});

describe('readNameSelector', () => {
  it('takes each name once', () => {
    expect(read(readNameSelector, { matchNames: ['b', 'a', 'b'] })).toEqual({ value: ['b', 'a'], issues: [] });
  });

  it('takes no names as all names', () => {
    expect(read(readNameSelector, { matchNames: [] })).toEqual({ value: undefined, issues: [] });
  });

  it('takes an empty name for all names', () => {
    expect(read(readNameSelector, { matchNames: [''] })).toEqual({ value: undefined, issues: [] });
    expect(read(readNameSelector, { matchNames: ['a', ''] })).toEqual({ value: undefined, issues: [] });
  });
});

describe('readNamespace', () => {
  const labelSelector = { matchLabels: { a: 'b' } };

  it.each<[string, unknown, unknown]>([
    ['names', { nameSelector: { matchNames: ['x'] } }, { type: 'names', names: ['x'] }],
    ['labels', { labelSelector }, { type: 'labels', labelSelector }],
    [
      'labels beside names as labels',
      { nameSelector: { matchNames: ['x'] }, labelSelector },
      { type: 'labels', labelSelector },
    ],
    ['no names as all', { nameSelector: { matchNames: [] } }, undefined],
  ])('reads %s', (_law, value, expected) => {
    expect(read(readNamespace, value)).toEqual({ value: expected, issues: [] });
  });

  it.each([[{}], [{ nameSelector: {} }], [{ names: [] }], ['default']])('refuses %j', (value) => {
    expect(read(readNamespace, value).issues).toHaveLength(1);
  });
});
