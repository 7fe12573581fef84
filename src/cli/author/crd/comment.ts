/** One level of indentation. */
export const INDENT = '  ';

const WIDTH = 116;
const MAX_LENGTH = 2000;

/** A description as a comment with a newline at its end; empty without one. */
export function comment(description: unknown, depth: number): string {
  if (typeof description !== 'string') return '';
  const words = plainWords(description);
  if (words.length === 0) return '';
  const indent = INDENT.repeat(depth);
  const lines = wrapped(words, Math.max(40, WIDTH - indent.length));
  if (lines.length === 1) return `${indent}/** ${lines[0] ?? ''} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** The words without what would end the comment, or print as something else. */
function plainWords(text: string): readonly string[] {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return cut
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('*/', '*\\/')
    .split(/\s+/)
    .filter((word) => word !== '');
}

function wrapped(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
