import { describe, expect, it } from 'vitest';
import {
  GOLDEN_CASES,
  GOLDEN_EXCEPTIONS,
  type GoldenCase,
  runOurJq,
  runRealJq,
  SILENT_HOST,
} from '@hooklet/jq/testing';

const environment = { HOME: '/home/jq', PATH: '/bin' };
const AT_ONCE = 2;

describe('the jq on PATH', () => {
  it('agrees with ours on every case that is not a known exception', { timeout: 900_000 }, async () => {
    const left = GOLDEN_CASES.filter(({ program }) => GOLDEN_EXCEPTIONS[program] === undefined);
    const differences: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const difference = await compare(next);
        if (difference !== undefined) differences.push(difference);
      }
    };

    await Promise.all(Array.from({ length: AT_ONCE }, work));

    expect(differences).toEqual([]);
  });
});

async function compare({ program, input }: GoldenCase) {
  const real = await runRealJq(program, input);
  const ours = runOurJq(program, input, { host: SILENT_HOST, environment });
  return JSON.stringify(real) === JSON.stringify(ours) ? undefined : { program, real, ours };
}
