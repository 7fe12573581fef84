import type { CST } from 'yaml';

/** The deepest nesting of a YAML text that is read. */
export const MAX_YAML_DEPTH = 200;

/** The parser needs a kilobyte for each open level, before its tokens can be checked. */
const MAX_OPEN = 10_000;
const MAX_MARKS = 1000;

/**
 * Whether a text opens far too many levels to be parsed: by brackets, or by list and key marks at the start of a line.
 * Each check visits a character once; a regular expression would start again at each of them.
 */
export function isEndless(text: string): boolean {
  return hasOpenBrackets(text) || hasMarkedLine(text);
}

function hasOpenBrackets(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length && open <= MAX_OPEN; at++) {
    const char = text[at];
    if (char === '[' || char === '{') open += 1;
    else if ((char === ']' || char === '}') && open > 0) open -= 1;
  }
  return open > MAX_OPEN;
}

function hasMarkedLine(text: string): boolean {
  let marks = 0;
  let isStart = true;
  for (let at = 0; at < text.length && marks <= MAX_MARKS; at++) {
    const char = text[at] ?? '';
    if (char === '\n') marks = 0;
    else if (isStart && isMark(char)) marks += 1;
    isStart = char === '\n' || (isStart && (isMark(char) || isBlank(char)));
  }
  return marks > MAX_MARKS;
}

function isMark(char: string): boolean {
  return char === '-' || char === '?';
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

/**
 * Returns the offset of a value that is nested too deep, or undefined. It is not recursive, and runs before the
 * composer, which is.
 */
export function findDeep(token: CST.Token): number | undefined {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    if (depth > MAX_YAML_DEPTH) return next.token.offset;
    for (const inner of innerTokens(next.token)) open.push({ token: inner, depth: depth + 1 });
  }
  return undefined;
}

/** Returns the collections directly within a token; only a collection can contain others. */
function innerTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value].filter(isCollection);
  return isCollection(token) ? token.items.flatMap(({ key, value }) => [key, value]).filter(isCollection) : [];
}

function isCollection(
  token: CST.Token | null | undefined,
): token is CST.BlockMap | CST.BlockSequence | CST.FlowCollection {
  return token?.type === 'block-map' || token?.type === 'block-seq' || token?.type === 'flow-collection';
}
