import type { TextProblem } from './documents.ts';
import type { FieldProblem } from './field-reader.ts';

/** Limit of the problems that a message lists. */
const MAX_SHOWN = 100;

/** Collects all problems of one file that a hook wrote. */
export interface OutputProblems {
  readonly count: number;
  add(document: { readonly number: number; readonly line: number }, problems: readonly FieldProblem[]): void;
  /** The message for the author of the hook; `file` is the environment variable that names the file. */
  describe(file: string): string;
  /** The first problem, without any value that the hook wrote, for those who may not see the log. */
  brief(file: string): string;
}

/** Creates the collection, with the documents that could not be parsed as its first problems. */
export function outputProblems(unreadable: readonly TextProblem[]): OutputProblems {
  const lines = unreadable.map(({ number, line, message }) => ({
    number,
    text: `${place({ number, line })} ${message}`,
    brief: `${place({ number, line })} cannot be read`,
  }));
  return {
    get count() {
      return lines.length;
    },
    add(document, problems) {
      for (const { field, message } of problems) {
        lines.push({
          number: document.number,
          text: `${place(document)}: ${field === '' ? '' : `${field}: `}${message}`,
          brief: `${place(document)}: ${briefOf({ field, message })}`,
        });
      }
    },
    describe(file) {
      const sorted = lines.toSorted((a, b) => a.number - b.number).map(({ text }) => `\n  ${text}`);
      const more = lines.length > MAX_SHOWN ? `\n  and ${lines.length - MAX_SHOWN} more` : '';
      const shown = sorted.slice(0, MAX_SHOWN).join('');
      return `${file} has ${lines.length} problem(s), nothing of this run is applied:${shown}${more}`;
    },
    brief(file) {
      const [first] = lines.toSorted((a, b) => a.number - b.number);
      const more = lines.length > 1 ? `, and ${lines.length - 1} more problem(s)` : '';
      return `${file} ${first?.brief ?? ''}${more}`;
    },
  };
}

/** Which field is wrong. A message has the value that was received, unless nothing was. */
function briefOf({ field, message }: FieldProblem): string {
  const name = PLAIN_FIELD.test(field) ? field : 'a field';
  return `${name} ${message.startsWith('is missing') ? message : 'is not what is expected'}`;
}

const PLAIN_FIELD = /^[A-Za-z][\w.[\]]{0,60}$/;

/** The first 100 warnings of one file, for the log, and how many more there are. */
export function shownWarnings(warnings: readonly string[]): readonly string[] {
  if (warnings.length <= MAX_SHOWN) return warnings;
  return [...warnings.slice(0, MAX_SHOWN), `and ${warnings.length - MAX_SHOWN} more`];
}

/** `document 2, line 7`. */
export function place({ number, line }: { readonly number: number; readonly line: number }): string {
  return `document ${number}, line ${line}`;
}
