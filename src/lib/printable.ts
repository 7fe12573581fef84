// Control characters except tab and line feed, characters that change the direction of text, separators at which some
// programs break lines, and lone surrogates.
const UNPRINTABLE = /[[\p{Control}\p{Bidi_Control}\u2028\u2029\p{Surrogate}]--[\t\n]]/gv;

/**
 * Makes foreign text safe for a terminal: characters that control it, such as escape sequences, or that reorder text
 * are escaped as in JSON (`\u001b`), so that a JSON text keeps its meaning. Tabs and line feeds stay.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/** The same as `printable`, in one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', String.raw`\n`);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
