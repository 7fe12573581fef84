import { describe, expect, it } from 'vitest';
import { isGoDuration } from '../src/go-duration.ts';

describe('a duration of Go', () => {
  it.each([
    '0',
    '-0',
    '1h30m',
    '-1.5s',
    '.5h',
    '1.h',
    '10µs',
    '10μs',
    '2562047h',
    '9223372036854775807ns',
    '-9223372036854775808ns',
  ])('may be %j', (text) => {
    expect(isGoDuration(text)).toBe(true);
  });

  it.each(['', '5', '1d', '.s', '--1s', '1h 5m', '2562048h', '9223372036854775808ns', '2562047h48m'])(
    'is not %j',
    (text) => {
      expect(isGoDuration(text)).toBe(false);
    },
  );

  it('is read once where it is 3,000,000 digits', { timeout: 5000 }, () => {
    expect(isGoDuration('1'.repeat(3_000_000))).toBe(false);
    expect(isGoDuration(`${'1'.repeat(3_000_000)}s`)).toBe(false);
  });
});
