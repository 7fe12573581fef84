/**
 * Finds the line of a script that printed a line of its config. The script is not understood: its lines are compared
 * with those of the config, which a heredoc holds as they are.
 */

/** What is to be found: a line of the config, from 1, and where it is a field its last name and what it holds. */
export interface ConfigPlace {
  readonly line: number;
  readonly field?: { readonly name: string; readonly value: string };
}

/** The line of `script`, from 1, that printed `place` of `config`; undefined where no line tells. */
export function scriptLine(script: string, config: string, place: ConfigPlace): number | undefined {
  const printed = linesOf(config);
  const written = linesOf(script);
  const wanted = printed[place.line - 1] ?? '';
  return findAligned(written, printed, place.line - 1) ?? findContaining(written, wanted) ?? findField(written, place);
}

/** So many lines around the wanted one tell which of several like it is meant. */
const NEIGHBORS = 50;

/** The best of the places where the lines around the wanted one stand as they were printed. */
function findAligned(written: readonly string[], printed: readonly string[], wanted: number): number | undefined {
  const from = Math.max(0, wanted - NEIGHBORS);
  const around = printed.slice(from, wanted + NEIGHBORS + 1);
  const isPrinted = (line: number): boolean => printed[line] !== '' && printed[line] !== undefined;
  let best: { readonly at: number; readonly score: number } | undefined;
  for (const at of written.keys()) {
    const isSame = (line: number): boolean => isPrinted(line) && printed[line] === written[at + line - wanted];
    // A line with a variable in it was printed as another, between two that were not.
    if (!isSame(wanted) && !(isPrinted(wanted) && isSame(wanted - 1) && isSame(wanted + 1))) continue;
    const score = around.filter((_, index) => isSame(from + index)).length;
    if (score > (best?.score ?? 0)) best = { at, score };
  }
  return best === undefined ? undefined : best.at + 1;
}

/** A shorter line is found anywhere. */
const MIN_LENGTH = 6;

/** A config in one line, in the quotes of `echo`. */
function findContaining(written: readonly string[], wanted: string): number | undefined {
  if (wanted.length < MIN_LENGTH) return undefined;
  return onlyLine(written, (line) => line.includes(wanted));
}

/** A config that another language makes of its own values: `kind: 'Pod',`. */
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

/** Without indentation: `<<-` takes it away, and so do the likes of it in other languages. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}
