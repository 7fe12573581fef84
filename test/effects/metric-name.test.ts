import { expect, it } from 'vitest';
import { labelName, metricName } from '../../src/effects/metric-name.ts';

it.each([
  ['a_b:c9', 'a_b:c9'],
  ['a.b', 'a_b'],
  ['a-b', 'a_b'],
  ['9a', '_a'],
  ['😀', '_'],
  ['a\n"', 'a__'],
])('of a metric: %j becomes %s', (written, name) => {
  expect(metricName(written)).toBe(name);
});

it('of a label has no colon', () => {
  expect(labelName('a:b')).toBe('a_b');
});

it.each(['', '__a'])('of no label is %j', (written) => {
  expect(labelName(written)).toBeUndefined();
});
