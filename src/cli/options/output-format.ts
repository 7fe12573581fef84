import { UsageError } from '../../errors.ts';

export type OutputFormat = 'text' | 'json' | 'yaml';

/** The format given with `-o`; throws `UsageError` for an unknown one. */
export function outputFormat(given: string | undefined): OutputFormat {
  return oneOf(['text', 'json', 'yaml'], given);
}

export type ListFormat = 'text' | 'wide' | 'json';

/** The format given with `-o` to a command that lists; throws `UsageError` for an unknown one. */
export function listFormat(given: string | undefined): ListFormat {
  return oneOf(['text', 'wide', 'json'], given);
}

export const CHECK_FORMATS = ['text', 'json', 'github', 'junit'] as const;

/** The format given with `-o` to `hooklet check`; throws `UsageError` for an unknown one. */
export function checkFormat(given: string | undefined): (typeof CHECK_FORMATS)[number] {
  return oneOf(CHECK_FORMATS, given);
}

/** The given format, or the first one by default. */
export function oneOf<T extends string>(formats: readonly [T, ...(readonly T[])], given: string | undefined): T {
  const found = given === undefined ? formats[0] : formats.find((format) => format === given);
  if (found !== undefined) return found;
  throw new UsageError(`--output: got ${JSON.stringify(given)}, expected one of ${formats.join(', ')}`);
}
