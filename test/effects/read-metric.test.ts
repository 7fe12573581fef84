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
    expect(read(input)).toEqual({ operation: parsed, problems: [] });
  });
});

describe('a metric is refused', () => {
  it.each([
    { title: 'no action', input: { name: 'a' }, problem: "one of: 'action', 'set' or 'add' is required" },
    { title: 'two shortcuts', input: { name: 'a', add: 1, set: 1 }, problem: "only one of 'set' and 'add' is allowed" },
    {
      title: 'a shortcut of another action',
      input: { name: 'a', action: 'set', value: 1, add: 1 },
      problem: "add: is not allowed with action 'set'",
    },
    {
      title: 'an unknown action',
      input: { name: 'a', action: 'inc', value: 1 },
      problem: 'action: unsupported action: received "inc", expected one of add, set, observe, expire',
    },
    { title: 'no name', input: { add: 1 }, problem: "'name' is required" },
    {
      title: 'no name with a group',
      input: { add: 1, group: 'g' },
      problem: "'name' is required when action is not 'expire'",
    },
    { title: 'a name that is none', input: { name: 'a-b', add: 1 }, problem: 'name: received "a-b", expected letters' },
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
    { title: 'a counter that shrinks', input: { name: 'a', add: -1 }, problem: 'add: received -1, expected 0 or more' },
    {
      title: 'observe without buckets',
      input: { name: 'a', action: 'observe', value: 1 },
      problem: "'buckets' is required for action 'observe'",
    },
    {
      title: 'empty buckets',
      input: { name: 'a', action: 'observe', value: 1, buckets: [] },
      problem: 'buckets: received [], expected growing numbers',
    },
    {
      title: 'buckets that do not grow',
      input: { name: 'a', action: 'observe', value: 1, buckets: [1, 1] },
      problem: 'buckets: received [1,1], expected',
    },
    {
      title: 'buckets of strings',
      input: { name: 'a', action: 'observe', value: 1, buckets: ['1'] },
      problem: 'buckets: received ["1"], expected',
    },
    {
      title: 'expire without a group',
      input: { name: 'a', action: 'expire' },
      problem: "'group' is required for action 'expire'",
    },
    {
      title: 'a label that is a number',
      input: { name: 'a', add: 1, labels: { code: 200 } },
      problem: 'labels.code: received 200, expected a string',
    },
    {
      title: 'a label name that is none',
      input: { name: 'a', add: 1, labels: { 'a-b': 'c' } },
      problem: 'labels.a-b: is not a name a label can have',
    },
    {
      title: 'the label of buckets',
      input: { name: 'a', action: 'observe', value: 1, buckets: [1], labels: { le: '1' } },
      problem: 'labels.le: is not a name',
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

function read(input: object) {
  const reader = new FieldReader({ ...input });
  const operation = readMetric(reader);
  return {
    operation,
    problems: reader.problems.map(({ field, message }) => `${field === '' ? '' : `${field}: `}${message}`),
  };
}
