import type { Issue } from '../errors.ts';
import { shownText } from '../lib/shown.ts';

const HEAD = /^the environment has \d+ problems?:$/m;
const LINE = /^ {2}([A-Za-z_][A-Za-z0-9_]{0,99}) (.+)$/;
const MAX_PROBLEMS = 100;
const MAX_NAMED = 5;

/**
 * What a hook says is wrong with its environment, as `environment()` of the SDK and `environment::done` of the shell
 * library print it: an issue for each variable. Undefined where it says nothing of the kind.
 */
export function environmentProblems(stderr: string): readonly Issue[] | undefined {
  const head = HEAD.exec(stderr);
  if (head === null) return undefined;
  const lines = stderr.slice(head.index + head[0].length + 1).split('\n', MAX_PROBLEMS);
  const end = lines.findIndex((line) => !LINE.test(line));
  const issues = lines.slice(0, end === -1 ? lines.length : end).map((line): Issue => {
    const [, name = '', message = ''] = LINE.exec(line) ?? [];
    return { path: name, message: shownText(message) };
  });
  return issues.length === 0 ? undefined : issues;
}

/** Which variables are wrong, without their values, for those who may not read the log. */
export function environmentReason(issues: readonly Issue[]): string {
  const names = issues.slice(0, MAX_NAMED).map(({ path }) => path);
  const more = issues.length > MAX_NAMED ? ` and ${issues.length - MAX_NAMED} more` : '';
  return `its environment has ${issues.length} problem(s): ${names.join(', ')}${more}`;
}
