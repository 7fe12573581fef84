/**
 * Finds the line of a script that printed a line of its config. The script is not parsed: its lines are compared with
 * those of the config, because most scripts contain their config verbatim in a heredoc.
 */

/** A place in the config: its line, counted from 1, and for a scalar field its name and value. */
export interface ConfigPlace {
  readonly line: number;
  readonly field?: { readonly name: string; readonly value: string };
}

/** The line of `script`, counted from 1, that printed `place` of `config`; `undefined` when it cannot be found. */
export function scriptLine(script: string, config: string, place: ConfigPlace): number | undefined {
  const printed = linesOf(config);
  const written = linesOf(script);
  const wanted = printed[place.line - 1] ?? '';
  return findAligned(written, printed, place.line - 1) ?? findContaining(written, wanted) ?? findField(written, place);
}

/** How many lines on each side are compared to choose between several equal lines. */
const NEIGHBORS = 50;

/** The line of the script where most of the surrounding lines are equal to those of the config. */
function findAligned(written: readonly string[], printed: readonly string[], wanted: number): number | undefined {
  const from = Math.max(0, wanted - NEIGHBORS);
  const around = printed.slice(from, wanted + NEIGHBORS + 1);
  const isPrinted = (line: number): boolean => printed[line] !== '' && printed[line] !== undefined;
  let best: { readonly at: number; readonly score: number } | undefined;
  for (const at of written.keys()) {
    const isSame = (line: number): boolean => isPrinted(line) && printed[line] === written[at + line - wanted];
    // A line that contains a variable differs from what was printed, but its two neighbors are equal.
    if (!isSame(wanted) && !(isPrinted(wanted) && isSame(wanted - 1) && isSame(wanted + 1))) continue;
    const score = around.filter((_, index) => isSame(from + index)).length;
    if (score > (best?.score ?? 0)) best = { at, score };
  }
  return best === undefined ? undefined : best.at + 1;
}

/** A shorter line would be found in too many places. */
const MIN_LENGTH = 6;

/** Finds a config that the script prints with `echo '…'`. */
function findContaining(written: readonly string[], wanted: string): number | undefined {
  if (wanted.length < MIN_LENGTH) return undefined;
  return onlyLine(written, (line) => line.includes(wanted));
}

/** Finds a config that a program in another language builds from its own values, such as `kind: 'Pod',`. */
function findField(written: readonly string[], { field }: ConfigPlace): number | undefined {
  if (field === undefined || field.value === '') return undefined;
  return onlyLine(written, (line) => hasWord(line, field.name) && hasWord(line, field.value));
}

function hasWord(line: string, word: string): boolean {
  const isPart = (character: string | undefined): boolean => character !== undefined && /\w/.test(character);
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
    if (!isPart(line[at - 1]) && !isPart(line[at + word.length])) return true;
  }
  return false;
}

function onlyLine(lines: readonly string[], matches: (line: string) => boolean): number | undefined {
  const first = lines.findIndex(matches);
  return first >= 0 && lines.findLastIndex(matches) === first ? first + 1 : undefined;
}

/** The lines without indentation, because `<<-` and similar syntax in other languages remove it. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}
