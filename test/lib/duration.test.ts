import { describe, expect, it } from 'vitest';
import { goDuration, parseDuration } from '../../src/lib/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['250ms', 250],
    ['3us', 0.003],
    ['-2m', -120_000],
    ['1m1m', 120_000],
  ])('reads %s', (text, expected) => {
    expect(parseDuration(text)).toBeCloseTo(expected, 9);
  });

  it('reads up to 87600h, ten years', () => {
    expect(parseDuration('87600h')).toBe(87_600 * 3_600_000);
    expect(parseDuration('-87600h')).toBe(-87_600 * 3_600_000);
    for (const text of ['87600h1ms', '-87601h', '99999999999999h']) expect(parseDuration(text)).toBeUndefined();
  });

  it('does not look at 100,000 digits', () => {
    const startedAt = process.cpuUsage();

    expect(parseDuration('1'.repeat(100_000))).toBeUndefined();

    expect(process.cpuUsage(startedAt).user).toBeLessThan(100_000);
  });

  it.each(['', '5', 's', '1d', '1 s', '1h 2m', 'h1', '1.5.5s', '.s', '1S'])('takes %j for none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('goDuration', () => {
  it.each(['500ms', '30s', '1.5s', '3m', '1m30s', '1h30m', '24h', '1h0.5s'])('writes %s as it is read', (text) => {
    expect(goDuration(parseDuration(text) ?? 0)).toBe(text);
  });
});
