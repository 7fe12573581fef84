import { expect, it } from 'vitest';
import { BriefLimits } from '../../src/filter/brief-limits.ts';

it('a filter has 50,000 steps, and 1,000 while more than 25 ms went into attempts for nothing', () => {
  let nowMs = 1000;
  const limits = new BriefLimits(() => nowMs);
  expect(limits.maxSteps).toBe(50_000);

  for (let attempt = 0; attempt < 5; attempt += 1) limits.wasted(5);
  expect(limits.maxSteps).toBe(50_000);
  limits.wasted(5);
  expect(limits.maxSteps).toBe(1000);

  nowMs += 100;
  expect(limits.maxSteps).toBe(50_000);
});

it('of 10 s, attempts for nothing take at most 1 s, however many objects ask for them', () => {
  let nowMs = 0;
  const limits = new BriefLimits(() => nowMs);
  let wastedMs = 0;
  while (nowMs < 10_000) {
    // Each attempt uses all its steps, at 10,000 a millisecond.
    const tookMs = limits.maxSteps / 10_000;
    limits.wasted(tookMs);
    wastedMs += limits.maxSteps > 1000 ? tookMs : 0;
    nowMs += tookMs;
  }

  expect(wastedMs).toBeLessThanOrEqual(1000);
});
