/**
 * Thrown for a program that cannot be compiled; the message has line and column, and the line with a caret below the
 * position.
 */
export class JqSyntaxError extends Error {
  override readonly name = 'JqSyntaxError';
  readonly line: number;
  readonly column: number;

  constructor(reason: string, source: string, offset: number) {
    const before = source.slice(0, offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    const lineEnd = source.indexOf('\n', offset);
    const line = before.split('\n').length;
    const column = offset - lineStart + 1;
    const text = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
    super(`${reason} at line ${line}, column ${column}\n${window(text, column - 1)}`);
    this.line = line;
    this.column = column;
  }
}

const MAX_EXCERPT = 100;

/** The line, or the part of a long line around the position, with a caret below. */
function window(text: string, column: number): string {
  const start = text.length <= MAX_EXCERPT ? 0 : Math.max(0, column - MAX_EXCERPT / 2);
  const shown = text.slice(start, start + MAX_EXCERPT);
  return `    ${shown}\n    ${' '.repeat(column - start)}^`;
}
