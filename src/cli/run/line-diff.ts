/** Limit of the table of a comparison: above it the lines that differ are shown as one change. */
const MAX_CELLS = 4_000_000;
const CONTEXT = 3;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** The hunks of a unified diff, three lines of context each; empty for equal texts. */
export function lineDiff(before: string, after: string): string {
  const all = compared(linesOf(before), linesOf(after));
  return hunks(all)
    .map(([start, end]) => hunk(all, start, end))
    .join('');
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function compared(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let same = 0;
  const longest = Math.min(before.length, after.length) - start;
  while (same < longest && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const kept = (text: string): Line => ({ mark: ' ', text });
  return [
    ...before.slice(0, start).map(kept),
    ...middle(before.slice(start, before.length - same), after.slice(start, after.length - same)),
    ...before.slice(before.length - same).map(kept),
  ];
}

/** The shortest way from one text to the other. */
function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const removed = before.map((text): Line => ({ mark: '-', text }));
  const added = after.map((text): Line => ({ mark: '+', text }));
  const isTooMuch = (before.length + 1) * (after.length + 1) > MAX_CELLS;
  return isTooMuch ? [...removed, ...added] : merged(removed, added, commonLengths(before, after));
}

/** Puts the lines that both have in place of the pair, by the lengths of what is common from two places on. */
function merged(
  removed: readonly Line[],
  added: readonly Line[],
  common: (row: number, column: number) => number,
): readonly Line[] {
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  for (;;) {
    const [old, fresh] = [removed[row], added[column]];
    if (old === undefined) return [...lines, ...added.slice(column)];
    if (fresh === undefined) return [...lines, ...removed.slice(row)];
    const isSame = old.text === fresh.text;
    const isRemoved = !isSame && common(row + 1, column) >= common(row, column + 1);
    lines.push(isSame ? { mark: ' ', text: old.text } : isRemoved ? old : fresh);
    if (isSame || isRemoved) row += 1;
    if (!isRemoved) column += 1;
  }
}

/** The length of the longest common subsequence of what follows two places. */
function commonLengths(before: readonly string[], after: readonly string[]): (row: number, column: number) => number {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column];
      const longest = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row * width + column] = longest;
    }
  }
  return at;
}

/** The ranges of lines that are shown: those around changes, joined where they touch. */
function hunks(lines: readonly Line[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue;
    const last = ranges.at(-1);
    const [start, end] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    if (last !== undefined && start <= last[1]) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}

function hunk(lines: readonly Line[], start: number, end: number): string {
  const count = (part: readonly Line[], mark: '-' | '+'): number =>
    part.filter((line) => line.mark === ' ' || line.mark === mark).length;
  const [ahead, shown] = [lines.slice(0, start), lines.slice(start, end)];
  const range = (mark: '-' | '+'): string => {
    const length = count(shown, mark);
    return `${count(ahead, mark) + (length === 0 ? 0 : 1)},${length}`;
  };
  const body = shown.map(({ mark, text }) => `${mark}${text}\n`).join('');
  return `@@ -${range('-')} +${range('+')} @@\n${body}`;
}
