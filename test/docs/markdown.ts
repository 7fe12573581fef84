import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '..', '..');

/** The text of a document, such as `docs/hooks.md`. */
export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A part of a document, from the heading with this text to the next heading of its level or above. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && headingText(line) === heading);
  if (start === -1) throw new Error(`no heading ${JSON.stringify(heading)}`);
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0;
  const rest = withoutCode(lines).slice(start + 1);
  const length = rest.findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? level + 1) <= level);
  return lines.slice(start, length === -1 ? undefined : start + 1 + length).join('\n');
}

/** The cells of the tables of a text, without their heads. */
export function tables(text: string): readonly (readonly (readonly string[])[])[] {
  const found: string[][][] = [];
  let rows: string[][] | undefined;
  for (const line of withoutCode(text.split('\n'))) {
    if (!line.startsWith('|')) rows = undefined;
    else if (rows === undefined) found.push((rows = []));
    else if (!/^\|[-| ]+\|$/.test(line)) rows.push(cells(line));
  }
  return found;
}

/** The one table of a text, or the first of several. */
export function table(text: string): readonly (readonly string[])[] {
  const [first] = tables(text);
  if (first === undefined) throw new Error(`no table in ${text.slice(0, 60)}`);
  return first;
}

/** Everything between backticks in a cell. */
export function codes(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(String.raw`\|`, '|'));
}

/** The code blocks of a text in one language, in order. */
export function codeBlocks(text: string, language: string): readonly string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(fenced)].map(([, code = '']) => code);
}

/** The names of the headings as links know them. */
export function anchors(text: string): readonly string[] {
  return withoutCode(text.split('\n'))
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      headingText(line)
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
}

function headingText(line: string): string {
  return line.replace(/^#+ /, '').trim();
}

/** Lines of code are emptied: what looks like a heading or a table there is none. */
function withoutCode(lines: readonly string[]): readonly string[] {
  let isCode = false;
  return lines.map((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence ? '' : line;
  });
}

function cells(line: string): string[] {
  const inner = line.replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}
