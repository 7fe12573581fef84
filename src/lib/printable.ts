// Control characters but for tab and line feed, what turns the direction of text, the separators that some programs
// break lines at, and halves of pairs, which are no characters.
const UNPRINTABLE = /[[\p{Control}\p{Bidi_Control}\u2028\u2029\p{Surrogate}]--[\t\n]]/gv;

/**
 * A text of others for a terminal: what would steer it, such as escape sequences, or show the text in another order is
 * escaped as in JSON (`\u001b`), so that a JSON text keeps its meaning. Tabs and line feeds stay.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same in one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', String.raw`\n`);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
