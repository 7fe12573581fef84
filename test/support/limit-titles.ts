const MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000 };
const TITLE = /^\s*(?:(?:it|test)\b.*|\]\)|title: )?\(?(['"`])(.*\bwithin \d.*)\1,/;
const LIMIT = /\bwithin (\d+(?:\.\d+)?) (ms|s|min)\b/g;
// The expressions with a limit: the shared waits, advances of a fake clock, and comparisons with a measured time.
const HOLDER =
  /\b(?:within|withinVirtual|caughtUpWithin|advanceTimersByTime|advanceTimersByTimeAsync|toBeLessThan|toBeLessThanOrEqual)\((\d[\d_]*)\b/g;

/** A test with a limit of time in its title, such as `within 3 s`. */
export interface LimitTitle {
  readonly title: string;
  readonly promisedMs: readonly number[];
  /** The limits that the test itself holds. */
  readonly heldMs: readonly number[];
}

/** The tests of a file, formatted as oxfmt does, whose titles have limits. */
export function limitTitles(source: string): readonly LimitTitle[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) => {
    const title = TITLE.exec(line)?.[2];
    if (title === undefined) return [];
    const promised = Array.from(title.matchAll(LIMIT), ([, count, unit = '']) => Number(count) * (MS[unit] ?? NaN));
    const body = [line, ...bodyAfter(lines.slice(at + 1), indentOf(line))].join('\n');
    const held = Array.from(body.matchAll(HOLDER), ([, count = '']) => Number(count.replaceAll('_', '')));
    return [{ title, promisedMs: promised, heldMs: held }];
  });
}

/** The lines up to the end of the call or object that a title is in. */
function bodyAfter(lines: readonly string[], indent: number): readonly string[] {
  const end = lines.findIndex((line) => {
    const own = indentOf(line);
    return line !== '' && (own < indent || (own === indent && line.trimStart().startsWith('}')));
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
