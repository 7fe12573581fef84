import { expect, it } from 'vitest';
import { durationText } from '../../src/lib/duration-text.ts';

it.each([
  [0, '0s'],
  [-5000, '0s'],
  [400, '0s'],
  [45_000, '45s'],
  [60_000, '1m'],
  [90_000, '1m30s'],
  [5_400_000, '1h30m'],
  [3_605_000, '1h'],
  [86_400_000, '24h'],
  [90_000_000, '25h'],
  [172_800_000, '2d'],
  [2_674_800_000, '30d23h'],
  [604_800_000, '7d'],
])('%i ms is %s', (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});
