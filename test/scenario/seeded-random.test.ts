import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/scenario/live/seeded-random.ts';

const drawn = (seed: string): readonly number[] => Array.from({ length: 1000 }, seededRandom(seed));

describe('numbers from a seed', () => {
  it('are the same each time, others for another seed, and spread over [0, 1)', () => {
    const numbers = drawn('1');

    expect(drawn('1')).toEqual(numbers);
    expect(drawn('2')[0]).not.toBe(numbers[0]);
    expect(new Set(numbers).size).toBe(1000);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    const counts = Array.from({ length: 10 }, (_, tenth) => numbers.filter((n) => Math.floor(n * 10) === tenth).length);
    expect(Math.min(...counts)).toBeGreaterThan(60);
  });
});
