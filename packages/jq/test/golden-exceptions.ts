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
  'try input catch .': { outputs: ['"break"'], reason: 'since 1.7 the end of the inputs is a break' },
  '"s" as [$a] | $a': {
    outputs: [],
    error: 'Cannot index string with number (0)',
    reason: 'since 1.8 the error quotes the key',
  },
  '1 | try .a catch .': {
    outputs: ['"Cannot index number with string (\\"a\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try ("a" | .[0]) catch .': {
    outputs: ['"Cannot index string with number (0)"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try ({} | .[0]) catch .': {
    outputs: ['"Cannot index object with number (0)"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try ([] | .a) catch .': {
    outputs: ['"Cannot index array with string (\\"a\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try ("abcdefghijklmnopqrstuvwxyz" - 1) catch .': {
    outputs: ['"string (\\"abcdefghijklmnopqrstuvwxyz\\") and number (1) cannot be subtracted"'],
    reason: 'since 1.8 errors quote more of a value',
  },
  'try ([range(100)] - 1) catch .': {
    outputs: ['"array ([0,1,2,3,4,5,6,7,8,9,10,1...]) and number (1) cannot be subtracted"'],
    reason: 'since 1.8 errors quote more of a value',
  },
  '"ab" * 3, "ab" * 0.5, ("ab" * 0), ("ab" * -1)': {
    outputs: ['"ababab"', '""', '""', 'null'],
    reason: 'since 1.8 a string times less than 1 is empty',
  },
  '"test" | . as {a: $x} | $x': {
    outputs: [],
    error: 'Cannot index string with string ("a")',
    reason: 'since 1.8 the error quotes the key',
  },
  'try getpath(["n", "x"]) catch .': {
    outputs: ['"Cannot index number with string (\\"x\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try del(.a.b) catch .': {
    outputs: ['"Cannot index array with string (\\"b\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try (.n[0] = 1) catch .': {
    outputs: ['"Cannot index number with number (0)"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try (.a.x = 1) catch .': {
    outputs: ['"Cannot index array with string (\\"x\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try sort_by(.a) catch .': {
    outputs: ['"Cannot index number with string (\\"a\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try (.[0] | reverse) catch .': {
    outputs: ['"Cannot index number with number (2)"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try (. - "X") catch .': {
    outputs: ['"string (\\"aXbxcX-äöü😀\\") and string (\\"X\\") cannot be subtracted"'],
    reason: 'since 1.8 errors quote more of a value',
  },
  'try tonumber catch .': {
    outputs: ['"string (\\"aXbxcX-äöü😀\\") cannot be parsed as a number"'],
    reason: 'since 1.8 a number with white space is refused, in words of its own',
  },
  'try keys catch .': {
    outputs: ['"string (\\"aXbxcX-äöü😀\\") has no keys"'],
    reason: 'since 1.8 errors quote more of a value',
  },
  'try .[0] catch .': {
    outputs: ['"Cannot index string with number (0)"'],
    reason: 'since 1.8 the error quotes the key',
  },
  'try (.a = 1) catch .': {
    outputs: ['"Cannot index string with string (\\"a\\")"'],
    reason: 'since 1.8 the error quotes the key',
  },
  '"1", " 12 ", "1e3", "-0.5", "+1" | tonumber': {
    outputs: ['1'],
    error: 'string (" 12 ") cannot be parsed as a number',
    reason: 'since 1.8 a number with white space is refused, in words of its own',
  },
  'try ("abc" | tonumber) catch .': {
    outputs: ['"string (\\"abc\\") cannot be parsed as a number"'],
    reason: 'since 1.8 a number with white space is refused, in words of its own',
  },
  '1 | ltrimstr("a"), rtrimstr("a")': {
    outputs: [],
    error: 'startswith() requires string inputs',
    reason: 'since 1.8 a value that is no string cannot be trimmed',
  },
  '"a" | ltrimstr(1)': {
    outputs: [],
    error: 'startswith() requires string inputs',
    reason: 'since 1.8 a value that is no string cannot be trimmed',
  },
  'ltrimstr("x"), rtrimstr("x")': {
    outputs: [],
    error: 'startswith() requires string inputs',
    reason: 'since 1.8 a value that is no string cannot be trimmed',
  },
  '.status.phase.reason': {
    outputs: [],
    error: 'Cannot index string with string ("reason")',
    reason: 'since 1.8 the error quotes the key',
  },
  '.spec.containers.name': {
    outputs: [],
    error: 'Cannot index array with string ("name")',
    reason: 'since 1.8 the error quotes the key',
  },
};
