/** What a program does where the recorded jq 1.6 is not followed. */
export interface GoldenException {
  readonly outputs: readonly string[];
  readonly error?: string;
  readonly reason: string;
}

/** By program; everything else must do exactly what is on record. */
export const GOLDEN_EXCEPTIONS: Readonly<Record<string, GoldenException>> = {
  'try error catch .': { outputs: ['null'], reason: 'since 1.7 an error of null is an error like any other' },
  '[range(10)][3], [range(10)][-1], [range(10)][1.7]': {
    outputs: ['3', '9', '1'],
    reason: 'since 1.7 an index with a fraction is rounded down',
  },
  'try (1 / 0 | .) catch .': {
    outputs: ['"number (1) and number (0) cannot be divided because the divisor is zero"'],
    reason: 'since 1.7 a constant division by zero is a runtime error',
  },
  '[limit(3; range(10))], [limit(0; 1, 2)] | length': {
    outputs: ['3', '0'],
    reason: 'since 1.7 limit(0) has no output',
  },
  'path(reduce ("c", "e") as $k (.; .[$k]))': {
    outputs: ['["c","e"]'],
    reason: 'since 1.7 a path may go through reduce',
  },
  '[path(foreach ("c", "e") as $k (.; .[$k]))]': {
    outputs: ['[["c"],["c","e"]]'],
    reason: 'since 1.7 a path may go through foreach',
  },
  'pick(.n)?': { outputs: ['{"n":5}'], reason: 'pick is new in 1.7' },
  '"ü/ ~-_.!*()" | @uri': {
    outputs: ['"%C3%BC%2F%20~-_.%21%2A%28%29"'],
    reason: 'since 1.7 only the unreserved characters of RFC 3986 stay',
  },
  'any(true, error("never"); .), all(false, error("never"); .)': {
    outputs: ['true', 'false'],
    reason: 'since 1.7 any and all stop at the first decisive value',
  },
  '1425599621 | date': { outputs: ['"2015-03-05T23:53:41Z"'], reason: 'date is in the manual and not in this build' },
  '1425599621 | dateadd("seconds"; 10), datesub("seconds"; 10)': {
    outputs: ['1425599631', '1425599611'],
    reason: 'dateadd and datesub are in the manual and not in this build',
  },
  'try input catch .': { outputs: ['"No more inputs"'], reason: 'the message is that of 1.7' },
};
