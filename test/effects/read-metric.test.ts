import { describe, expect, it } from 'vitest';
import { FieldReader } from '../../src/effects/field-reader.ts';
import { readMetric } from '../../src/effects/read-metric.ts';

describe('a metric is understood', () => {
  it.each([
    {
      title: 'add',
      input: { name: 'a_total', action: 'add', value: 1.5 },
      parsed: { name: 'a_total', action: 'add', value: 1.5, labels: {} },
    },
    {
      title: 'the shortcut add',
      input: { name: 'a', add: 0 },
      parsed: { name: 'a', action: 'add', value: 0, labels: {} },
    },
    {
      title: 'the shortcut set',
      input: { name: 'a', set: -3 },
      parsed: { name: 'a', action: 'set', value: -3, labels: {} },
    },
    {
      title: 'labels and a group',
      input: { name: 'a', action: 'set', value: 1, labels: { x: 'y', hook: 'z' }, group: 'g' },
      parsed: { name: 'a', action: 'set', value: 1, labels: { x: 'y', hook: 'z' }, group: 'g' },
    },
    {
      title: 'observe',
      input: { name: 'a:b', action: 'observe', value: 2, buckets: [0.1, 1, 10] },
      parsed: { name: 'a:b', action: 'observe', value: 2, labels: {}, buckets: [0.1, 1, 10] },
    },
    { title: 'expire', input: { group: 'g', action: 'expire' }, parsed: { action: 'expire', group: 'g' } },
    {
      title: 'expire with a name',
      input: { group: 'g', action: 'expire', name: 'a' },
      parsed: { action: 'expire', group: 'g' },
    },
    {
      title: 'the action beside its shortcut',
      input: { name: 'a', action: 'add', add: 2 },
      parsed: { name: 'a', action: 'add', value: 2, labels: {} },
    },
  ])('$title', ({ input, parsed }) => {
    expect(read(input)).toEqual({ operation: parsed, problems: [], warnings: [] });
  });
});

describe('a metric is what shell-operator makes of it', () => {
  it.each([
    {
      title: 'a shortcut has precedence over the action and its value',
      input: { name: 'a', action: 'set', value: 1, add: 2 },
      parsed: { name: 'a', action: 'add', value: 2, labels: {} },
    },
    {
      title: 'a shortcut that is null is none',
      input: { name: 'a', set: null, add: 2 },
      parsed: { name: 'a', action: 'add', value: 2, labels: {} },
    },
    {
      title: 'two shortcuts are none',
      input: { name: 'a', action: 'set', value: 1, set: 2, add: 3 },
      parsed: { name: 'a', action: 'set', value: 1, labels: {} },
    },
    {
      title: 'dots become _',
      input: { name: 'a.b', set: 1 },
      parsed: { name: 'a_b', action: 'set', value: 1, labels: {} },
    },
    {
      title: 'dashes become _',
      input: { name: 'a-b', set: 1 },
      parsed: { name: 'a_b', action: 'set', value: 1, labels: {} },
    },
    {
      title: 'a digit at the beginning becomes _',
      input: { name: '1a', set: 1 },
      parsed: { name: '_a', action: 'set', value: 1, labels: {} },
    },
    {
      title: 'other letters become _',
      input: { name: 'é b😀', set: 1 },
      parsed: { name: '__b_', action: 'set', value: 1, labels: {} },
    },
    {
      title: 'names of labels too',
      input: { name: 'a', set: 1, labels: { 'x.y': '1', 'z-': '2', '1a': '3', 'a b': '4' } },
      parsed: { name: 'a', action: 'set', value: 1, labels: { x_y: '1', z_: '2', _a: '3', a_b: '4' } },
    },
    {
      title: 'a label that is null is empty',
      input: { name: 'a', set: 1, labels: { x: null } },
      parsed: { name: 'a', action: 'set', value: 1, labels: { x: '' } },
    },
    {
      title: 'labels that are null are none',
      input: { name: 'a', set: 1, labels: null },
      parsed: { name: 'a', action: 'set', value: 1, labels: {} },
    },
    {
      title: 'buckets are sorted',
      input: { name: 'a', action: 'observe', value: 1, buckets: [5, 1, 5] },
      parsed: { name: 'a', action: 'observe', value: 1, labels: {}, buckets: [1, 5] },
    },
    {
      title: 'empty buckets are those of client_golang',
      input: { name: 'a', action: 'observe', value: 1, buckets: [] },
      parsed: {
        name: 'a',
        action: 'observe',
        value: 1,
        labels: {},
        buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      },
    },
    { title: 'expire without a group', input: { action: 'expire' }, parsed: { action: 'expire' } },
    { title: 'expire with a name alone', input: { name: 'a', action: 'expire' }, parsed: { action: 'expire' } },
    {
      title: 'keys in other letters',
      input: { NAME: 'a', Set: 1 },
      parsed: { name: 'a', action: 'set', value: 1, labels: {} },
    },
  ])('$title', ({ input, parsed }) => {
    expect(read(input)).toEqual({ operation: parsed, problems: [], warnings: [] });
  });

  it.each([
    { title: 'no action', input: { name: 'a', value: 1 }, warning: "one of: 'action', 'set' or 'add' is required" },
    { title: 'two shortcuts alone', input: { name: 'a', set: 1, add: 1 }, warning: "one of: 'action', 'set' or 'add'" },
    {
      title: 'an unknown action',
      input: { name: 'a', action: 'inc', value: 1 },
      warning: 'unsupported action: received "inc"',
    },
    { title: 'an action in other letters', input: { name: 'a', action: 'SET', value: 1 }, warning: 'received "SET"' },
    {
      title: 'a counter that shrinks',
      input: { name: 'a', add: -1 },
      warning: 'a counter only grows, so add -1 of a is ignored',
    },
    {
      title: 'a reserved label',
      input: { name: 'a', set: 1, labels: { __x: '1' } },
      warning: 'labels.__x is not a name',
    },
    {
      title: 'a label without a name',
      input: { name: 'a', set: 1, labels: { '': '1' } },
      warning: 'is not a name a label',
    },
    {
      title: 'the label of buckets',
      input: { name: 'a', action: 'observe', value: 1, buckets: [1], labels: { le: '1' } },
      warning: 'labels.le is not a name',
    },
  ])('nothing is done with $title, and a warning says so', ({ input, warning }) => {
    const { operation, problems, warnings } = read(input);

    expect({ operation, problems }).toEqual({ operation: undefined, problems: [] });
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });
});

describe('a metric is refused', () => {
  it.each([
    { title: 'no name', input: { add: 1 }, problem: "'name' is required" },
    {
      title: 'no name with a group',
      input: { add: 1, group: 'g' },
      problem: "'name' is required when action is not 'expire'",
    },
    { title: 'a name that is a number', input: { name: 5, add: 1 }, problem: 'name: received 5, expected a string' },
    {
      title: 'set without a value',
      input: { name: 'a', action: 'set' },
      problem: "'value' is required for action 'set'",
    },
    {
      title: 'add without a value',
      input: { name: 'a', action: 'add' },
      problem: "'value' is required for action 'add'",
    },
    { title: 'a value as a string', input: { name: 'a', set: '1' }, problem: 'set: received "1", expected a number' },
    {
      title: 'observe without buckets',
      input: { name: 'a', action: 'observe', value: 1 },
      problem: "'buckets' is required for action 'observe'",
    },
    {
      title: 'buckets of strings',
      input: { name: 'a', action: 'observe', value: 1, buckets: ['1'] },
      problem: 'buckets: received ["1"], expected',
    },
    {
      title: 'a bucket that no number can hold',
      input: { name: 'a', action: 'observe', value: 1, buckets: [1, Infinity] },
      problem: 'buckets: received a number that is too large, expected numbers such as [0.1, 1, 10]',
    },
    {
      title: 'a label that is a number',
      input: { name: 'a', add: 1, labels: { code: 200 } },
      problem: 'labels.code: received 200, expected a string',
    },
    {
      title: 'labels as a list',
      input: { name: 'a', add: 1, labels: ['x'] },
      problem: 'labels: received an array of 1, expected an object with strings',
    },
  ])('$title', ({ input, problem }) => {
    expect(read(input).problems.join('\n')).toContain(problem);
  });
});

it('a value is not read where it does not count', () => {
  expect(read({ action: 'expire', group: 'g', value: 'x' }).problems).toEqual([]);
});

function read(input: object) {
  const reader = new FieldReader({ ...input });
  const operation = readMetric(reader);
  return {
    operation,
    warnings: reader.warnings,
    problems: reader.problems.map(({ field, message }) => `${field === '' ? '' : `${field}: `}${message}`),
  };
}
