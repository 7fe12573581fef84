import { UsageError } from '../errors.ts';

export type OutputFormat = 'text' | 'json' | 'yaml';

/** The value of `-o`; throws `UsageError` for one that is none. */
export function outputFormat(given: string | undefined): OutputFormat {
  if (given === undefined || given === 'text') return 'text';
  if (given === 'json' || given === 'yaml') return given;
  throw new UsageError(`--output: got ${JSON.stringify(given)}, expected one of text, json, yaml`);
}
