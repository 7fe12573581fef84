import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELDS, normalizeField } from '../../src/crontab/field.ts';

const [, minute, , , month, dayOfWeek] = FIELDS;

describe('normalizeField', () => {
  it.each([
    ['*', '0-59'],
    ['?', '0-59'],
    ['*/2', '0-59/2'],
    ['5/10', '5-59/10'],
    ['7', '7'],
    ['007', '7'],
    ['1,,2', '1,2'],
    ['1-5/9', '1'],
  ])('rewrites %s as %s', (text, expected) => {
    expect(normalizeField(text, minute)).toBe(expected);
  });

  it('puts values in the place of names', () => {
    expect(normalizeField('Jan,MAR-may/2', month)).toBe('1,3-5/2');
    expect(normalizeField('sun,fri-sat', dayOfWeek)).toBe('0,5-6');
  });

  it('leaves its own result as it is', () => {
    const part = fc
      .tuple(fc.nat(59), fc.nat(59), fc.integer({ min: 1, max: 60 }))
      .map(([a, b, step]) => `${Math.min(a, b)}-${Math.max(a, b)}/${step}`);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const once = normalizeField(parts.join(','), minute);

        expect(normalizeField(once, minute)).toBe(once);
      }),
    );
  });
});
