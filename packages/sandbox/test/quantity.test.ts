import { describe, expect, it } from 'vitest';
import { quantityProblem, quantityValue } from '../src/quantity.ts';

describe('a quantity', () => {
  it.each([
    ['1Gi', '1024Mi'],
    ['1', '1000m'],
    ['0.5', '500m'],
    ['.5', '+0.50'],
    ['1.', '1'],
    ['1e3', '1k'],
    ['12E3', '12000'],
    ['1E', '1000P'],
    ['5e-1', '500m'],
    ['1.5Ki', '1536'],
    ['1500u', '1.5m'],
    ['-1Gi', '-1024Mi'],
    // What is too small for a billionth counts as one.
    ['0.1n', '1n'],
    ['1e-999999999', '1n'],
  ])('%s is as much as %s', (one, other) => {
    expect(quantityValue(one)).toBeDefined();
    expect(quantityValue(one)).toBe(quantityValue(other));
  });

  it.each([
    ['1G', '1Gi'],
    ['1m', '1M'],
    ['9007199254740992', '9007199254740993'],
    ['-1', '1'],
  ])('%s is less than %s', (less, more) => {
    expect(Number((quantityValue(more) ?? 0n) - (quantityValue(less) ?? 0n))).toBeGreaterThan(0);
  });

  const form = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  it.each([
    ['abc', form],
    ['', form],
    ['1 Gi', form],
    ['1.2.3', form],
    ['1K', "unable to parse quantity's suffix"],
    ['1gi', form],
    ['--1', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['1k5', "unable to parse quantity's suffix"],
    ['.', 'unable to parse numeric part of quantity'],
  ])('is not %j', (text, problem) => {
    expect(quantityProblem(text)).toBe(problem);
    expect(quantityValue(text)).toBeUndefined();
  });

  it.each(['', 'x', 'Gi', '.1'])('is read once where it is 3,000,000 digits and %j', { timeout: 5000 }, (end) => {
    const digits = '1'.repeat(3_000_000);

    expect(quantityProblem(`${digits}${end}`)).toBe(end === 'x' ? form : 'unable to parse numeric part of quantity');
    expect(quantityProblem(`1.${digits}${end === '.1' ? '' : end}`)).not.toBeUndefined();
  });

  it('is what has a value', () => {
    expect(quantityProblem('1Gi')).toBeUndefined();
    expect(quantityValue('2')).toBe(2_000_000_000n);
  });
});
