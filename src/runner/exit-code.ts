import type { OutcomeCodes } from '../hook/binding.ts';
import type { ResultOutcome } from '../hook/result.ts';

/** Used where the list is absent: the codes of sysexits.h for a temporary failure and for a wrong configuration. */
const DEFAULTS: readonly (readonly [outcome: Exclude<keyof OutcomeCodes, 'success'>, code: number])[] = [
  ['later', 75],
  ['permanent', 78],
];
const OUTCOMES = { success: 'done', later: 'later', permanent: 'permanent' } as const;

/**
 * What the exit code of a hook says. A list of `settings.outcome` replaces the default of its outcome; with `isPlain`
 * there are no defaults but 0, so that any other code of a hook without such lists is a failure.
 */
export function outcomeOfExitCode(exitCode: number, codes: OutcomeCodes = {}, isPlain = false): ResultOutcome {
  if (exitCode === 0) return 'done';
  for (const list of ['success', 'later', 'permanent'] as const) {
    if (codes[list]?.includes(exitCode) === true) return OUTCOMES[list];
  }
  const found = isPlain ? undefined : DEFAULTS.find(([list, code]) => code === exitCode && codes[list] === undefined);
  return found === undefined ? 'failed' : found[0];
}
