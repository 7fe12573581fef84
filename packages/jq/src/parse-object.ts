import type { Parsers } from './parse-pattern.ts';
import { parseString } from './parse-string.ts';
import { describe } from './native.ts';
import type { Node, ObjectEntry } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';
import type { JsonValue } from './value.ts';

type VariableParser = (stream: TokenStream) => Node;

/** The entries of an object construction; the opening brace is already taken. */
export function parseObject(
  stream: TokenStream,
  parsers: Parsers,
  parseVariable: VariableParser,
): readonly ObjectEntry[] {
  const entries: ObjectEntry[] = [];
  if (stream.accept('}')) return entries;
  for (;;) {
    entries.push(parseEntry(stream, parsers, parseVariable));
    if (stream.accept('}')) return entries;
    if (!stream.accept(',')) stream.fail("',' or '}'");
    // A comma before the closing brace is tolerated.
    if (stream.accept('}')) return entries;
  }
}

function parseEntry(stream: TokenStream, parsers: Parsers, parseVariable: VariableParser): ObjectEntry {
  const token = stream.current;
  if (token.type === 'variable') return parseVariableEntry(stream, parsers, parseVariable);
  if (stream.is('(')) {
    const key = parseKeyFilter(stream, parsers);
    stream.expect(':');
    return { key, value: parseValue(stream, parsers) };
  }
  const key = parseKey(stream, parsers);
  if (stream.accept(':')) return { key, value: parseValue(stream, parsers) };
  return { key, value: { type: 'index', target: { type: 'identity' }, key } };
}

/** A key in parentheses; a constant that is no string is an error. */
export function parseKeyFilter(stream: TokenStream, parsers: Parsers): Node {
  stream.expect('(');
  const { at } = stream.current;
  const key = parsers.parsePipe(stream);
  stream.expect(')');
  const constant = constantOf(key);
  if (constant !== undefined && typeof constant !== 'string') {
    stream.failAt(`Cannot use ${describe(constant)} as object key`, at);
  }
  return key;
}

const WORDS: ReadonlyMap<string, JsonValue> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);

function constantOf(node: Node): JsonValue | undefined {
  if (node.type === 'literal') return node.value;
  return node.type === 'call' && node.args.length === 0 ? WORDS.get(node.name) : undefined;
}

/** `$x` alone, `$__loc__`, or `$x: value`, whose key is the value of the variable. */
function parseVariableEntry(stream: TokenStream, parsers: Parsers, parseVariable: VariableParser): ObjectEntry {
  const token = stream.current;
  const name = token.type === 'variable' ? token.text : '';
  const value = parseVariable(stream);
  if (stream.accept(':')) return { key: value, value: parseValue(stream, parsers) };
  return { key: { type: 'literal', value: name }, value };
}

function parseKey(stream: TokenStream, parsers: Parsers): Node {
  const name = stream.acceptType('name');
  if (name !== undefined) return { type: 'literal', value: name };
  if (stream.current.type === 'string' || stream.current.type === 'format') return parseString(stream, parsers);
  return stream.fail("a key: a name, a string, '$name' or '(', or '}'");
}

/** A value ends at a comma or brace; pipes inside need no parentheses. */
function parseValue(stream: TokenStream, parsers: Parsers): Node {
  const left = parsers.parseAlternative(stream);
  if (!stream.accept('|')) return left;
  return { type: 'pipe', left, right: parseValue(stream, parsers) };
}
