import { describe, expect, it } from 'vitest';
import { median, quantile, until } from '../../bench/figures.ts';

describe('figures', () => {
  it.each([
    [0, 1],
    [0.5, 51],
    [0.99, 100],
    [1, 100],
  ])('the share %d of 1 to 100 lies below %d', (share, value) => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);

    expect(quantile(values, share)).toBe(value);
  });

  it('the median does not mind one that is far off', () => {
    expect(median([3, 1, 1_000_000])).toBe(3);
  });

  it('nothing has no median', () => {
    expect(median([])).toBeNaN();
  });

  it('what is waited for comes back, and what does not come is an error', async () => {
    let calls = 0;

    expect(await until(() => (++calls === 3 ? 'here' : undefined))).toBe('here');
    await expect(until(() => undefined, { timeoutMs: 0, what: 'it did not come' })).rejects.toThrow('it did not come');
  });
});
