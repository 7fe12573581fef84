import { parseArgs } from 'node:util';
import { attributeName, startOptions, type Flags } from './options.ts';
import { ignoredOptions } from './ignored-options.ts';

// The name that shell-operator has for --log-format.
const LOG_TYPE = '--log-type <format>';

/** Flags of `start` that its help does not list. */
export const hiddenStartFlags: readonly string[] = [LOG_TYPE, ...Object.values(ignoredOptions).map(({ flag }) => flag)];

/**
 * Reads the flags of `start` with Node's own parser: loading commander takes 5 ms more, at each start of a pod. Undefined
 * for `--help` and for wrong flags: commander reads them again, and prints the help or the message.
 */
export function startFlags(args: readonly string[]): Flags | undefined {
  const known = [...Object.values(startOptions).map(({ flag }) => flag), ...hiddenStartFlags];
  try {
    const { values } = parseArgs({ args: [...args], options: Object.fromEntries(known.map(parserOption)) });
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [attributeName(name), value]));
  } catch {
    return undefined;
  }
}

/** `hooks-dir` takes a text where the flag is `--hooks-dir <dir>`. */
function parserOption(flag: string): [name: string, option: { readonly type: 'string' | 'boolean' }] {
  const [name = '', value] = flag.split(' ', 2);
  return [name.replace(/^--/, ''), { type: value === undefined ? 'boolean' : 'string' }];
}
