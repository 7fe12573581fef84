import { AssertionError } from 'node:assert';
import { match, type MatchName } from './match.ts';
import type { Happened, MatcherResult, WorldMatchers } from './public.ts';

type Assertion = (of: Happened, expected: object) => Promise<void>;

/** Throws an `AssertionError` unless the matcher holds. */
export function assertion(name: MatchName): Assertion {
  return async (of, expected) => {
    const { isMet, message } = await match(name, of, expected);
    if (!isMet) throw new AssertionError({ message, operator: name });
  };
}

const NAMES: readonly MatchName[] = [
  'toHaveObject',
  'toHaveRun',
  'toHaveWritten',
  'toHaveCalled',
  'toHaveEvent',
  'toHaveMetric',
  'toMeet',
];

type Matchers = Record<keyof WorldMatchers, (received: unknown, expected: object) => Promise<MatcherResult>>;

/** For `expect.extend` of vitest. */
export const matchers = Object.fromEntries(
  NAMES.map((name) => [
    name,
    async (received: unknown, expected: object): Promise<MatcherResult> => {
      const { isMet, message } = await match(name, received, expected);
      return { pass: isMet, message: () => message };
    },
  ]),
) as Matchers;
