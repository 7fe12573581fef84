import { parseKeyFilter } from './parse-object.ts';
import { parseString } from './parse-string.ts';
import type { Node, Pattern, PatternEntry } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** The levels of the parser that patterns and terms call recursively. */
export interface Parsers {
  readonly parsePipe: (stream: TokenStream) => Node;
  readonly parseAlternative: (stream: TokenStream) => Node;
}

/** One pattern, or several alternatives joined by `?//`. */
export function parsePatterns(stream: TokenStream, parsers: Parsers): readonly Pattern[] {
  const patterns = [parsePattern(stream, parsers)];
  while (stream.accept('?//')) patterns.push(parsePattern(stream, parsers));
  return patterns;
}

/** Parses one pattern. */
export function parsePattern(stream: TokenStream, parsers: Parsers): Pattern {
  const name = stream.acceptType('variable');
  if (name !== undefined) return { type: 'variable', name };
  if (stream.accept('[')) return { type: 'array', elements: parseElements(stream, parsers) };
  if (stream.accept('{')) return { type: 'object', entries: parseEntries(stream, parsers) };
  return stream.fail("a pattern: '$name', '[' or '{'");
}

function parseElements(stream: TokenStream, parsers: Parsers): readonly Pattern[] {
  const elements: Pattern[] = [];
  do elements.push(parsePattern(stream, parsers));
  while (stream.accept(','));
  stream.expect(']');
  return elements;
}

function parseEntries(stream: TokenStream, parsers: Parsers): readonly PatternEntry[] {
  const entries: PatternEntry[] = [];
  do entries.push(parseEntry(stream, parsers));
  while (stream.accept(','));
  stream.expect('}');
  return entries;
}

function parseEntry(stream: TokenStream, parsers: Parsers): PatternEntry {
  const variable = stream.acceptType('variable');
  if (variable !== undefined) {
    const key: Node = { type: 'literal', value: variable };
    if (!stream.accept(':')) return { key, variable };
    return { key, variable, pattern: parsePattern(stream, parsers) };
  }
  const key = parseEntryKey(stream, parsers);
  stream.expect(':');
  return { key, pattern: parsePattern(stream, parsers) };
}

function parseEntryKey(stream: TokenStream, parsers: Parsers): Node {
  const name = stream.acceptType('name');
  if (name !== undefined) return { type: 'literal', value: name };
  if (stream.is('(')) return parseKeyFilter(stream, parsers);
  if (stream.current.type === 'string' || stream.current.type === 'format') return parseString(stream, parsers);
  return stream.fail("a key: a name, a string, '$name' or '('");
}
