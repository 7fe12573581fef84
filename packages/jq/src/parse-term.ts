import { parseObject } from './parse-object.ts';
import { parsePattern, type Parsers } from './parse-pattern.ts';
import { parseString } from './parse-string.ts';
import type { Node } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** A primary with everything that may follow it: `.name`, `[…]`, `?`. */
export function parseTerm(stream: TokenStream, parsers: Parsers): Node {
  let node = parsePrimary(stream, parsers);
  for (;;) {
    const next = parsePostfix(node, stream, parsers);
    if (next === undefined) return node;
    node = next;
  }
}

/** The keywords of the grammar; none of them can name a function. */
const RESERVED: ReadonlySet<string> = new Set(
  'def if then elif else end as reduce foreach try catch label import include and or __loc__'.split(' '),
);

const IDENTITY: Node = { type: 'identity' };
const NULL: Node = { type: 'literal', value: null };

type PrimaryParser = (stream: TokenStream, parsers: Parsers, at: number) => Node;

const BY_WORD = new Map<string, PrimaryParser>([
  ['if', (stream, parsers) => parseIf(stream, parsers)],
  ['reduce', (stream, parsers) => parseReduce(stream, parsers)],
  ['foreach', (stream, parsers) => parseForeach(stream, parsers)],
  ['..', () => ({ type: 'recurse' })],
  ['.', (stream, parsers) => parseDot(stream, parsers)],
  ['(', (stream, parsers) => closed(stream, parsers, ')')],
  ['[', (stream, parsers) => parseArray(stream, parsers)],
  ['{', (stream, parsers) => ({ type: 'object', entries: parseObject(stream, parsers, parseVariable) })],
]);

function parsePrimary(stream: TokenStream, parsers: Parsers): Node {
  const token = stream.current;
  switch (token.type) {
    case 'number':
      stream.take();
      return { type: 'literal', value: token.value };
    case 'string':
    case 'format':
      return parseString(stream, parsers);
    case 'field':
      stream.take();
      return { type: 'index', target: IDENTITY, key: { type: 'literal', value: token.text } };
    case 'variable':
      return parseVariable(stream);
    case 'name':
    case 'operator':
      return parseWord(token.text, stream, parsers);
    case 'end':
      return stream.fail('a filter');
  }
}

function parseWord(text: string, stream: TokenStream, parsers: Parsers): Node {
  const { at, type } = stream.current;
  const parser = BY_WORD.get(text);
  if (parser !== undefined) {
    stream.take();
    return parser(stream, parsers, at);
  }
  if (type !== 'name' || RESERVED.has(text)) stream.fail('a filter');
  stream.take();
  const label = text === 'break' ? stream.acceptType('variable') : undefined;
  if (label !== undefined) return { type: 'break', name: label, at };
  if (text === 'break') stream.fail("a label name such as '$out'");
  return { type: 'call', name: text, args: parseArguments(stream, parsers), at };
}

function parseVariable(stream: TokenStream): Node {
  const at = stream.current.at;
  const name = stream.expectType('variable', "a variable such as '$name'");
  if (name !== '__loc__') return { type: 'variable', name, at };
  const line = stream.source.slice(0, at).split('\n').length;
  return { type: 'literal', value: { file: '<top-level>', line } };
}

function parseArguments(stream: TokenStream, parsers: Parsers): readonly Node[] {
  if (!stream.accept('(')) return [];
  const args: Node[] = [];
  do args.push(parsers.parsePipe(stream));
  while (stream.accept(';'));
  stream.expect(')');
  return args;
}

function closed(stream: TokenStream, parsers: Parsers, close: string): Node {
  const node = parsers.parsePipe(stream);
  stream.expect(close);
  return node;
}

function parseArray(stream: TokenStream, parsers: Parsers): Node {
  if (stream.accept(']')) return { type: 'array' };
  return { type: 'array', body: closed(stream, parsers, ']') };
}

/** After a lone dot: a string, brackets, or nothing. */
function parseDot(stream: TokenStream, parsers: Parsers): Node {
  if (stream.current.type === 'string' || stream.current.type === 'format') {
    return { type: 'index', target: IDENTITY, key: parseString(stream, parsers) };
  }
  return IDENTITY;
}

function parseIf(stream: TokenStream, parsers: Parsers): Node {
  const condition = parsers.parsePipe(stream);
  stream.expect('then');
  const whenTrue = parsers.parsePipe(stream);
  if (stream.accept('elif')) return { type: 'if', condition, whenTrue, otherwise: parseIf(stream, parsers) };
  const otherwise = stream.accept('else') ? parsers.parsePipe(stream) : IDENTITY;
  stream.expect('end');
  return { type: 'if', condition, whenTrue, otherwise };
}

function parseReduce(stream: TokenStream, parsers: Parsers): Node {
  const { source, pattern } = parseLoopSource(stream, parsers);
  const init = parsers.parsePipe(stream);
  stream.expect(';');
  const update = parsers.parsePipe(stream);
  stream.expect(')');
  return { type: 'reduce', source, pattern, init, update };
}

function parseForeach(stream: TokenStream, parsers: Parsers): Node {
  const { source, pattern } = parseLoopSource(stream, parsers);
  const init = parsers.parsePipe(stream);
  stream.expect(';');
  const update = parsers.parsePipe(stream);
  const extract = stream.accept(';') ? parsers.parsePipe(stream) : IDENTITY;
  stream.expect(')');
  return { type: 'foreach', source, pattern, init, update, extract };
}

function parseLoopSource(stream: TokenStream, parsers: Parsers) {
  const source = parsers.parseAlternative(stream);
  stream.expect('as');
  const pattern = parsePattern(stream, parsers);
  stream.expect('(');
  return { source, pattern };
}

function parsePostfix(target: Node, stream: TokenStream, parsers: Parsers): Node | undefined {
  const field = stream.acceptType('field');
  if (field !== undefined) return { type: 'index', target, key: { type: 'literal', value: field } };
  if (stream.acceptOptional()) return { type: 'try', body: target };
  if (stream.accept('[')) return parseBrackets(target, stream, parsers);
  if (!stream.is('.')) return undefined;
  const next = stream.following;
  if (next.type === 'string' || next.type === 'format') {
    stream.take();
    return { type: 'index', target, key: parseString(stream, parsers) };
  }
  if (next.type !== 'operator' || next.text !== '[') return undefined;
  stream.take();
  stream.take();
  return parseBrackets(target, stream, parsers);
}

/** After `[`: `]`, an index, or a slice with one or both ends. */
function parseBrackets(target: Node, stream: TokenStream, parsers: Parsers): Node {
  if (stream.accept(']')) return { type: 'iterate', target };
  if (stream.accept(':')) return { type: 'slice', target, from: NULL, to: closed(stream, parsers, ']') };
  const key = parsers.parsePipe(stream);
  if (stream.accept(']')) return { type: 'index', target, key };
  if (!stream.accept(':')) stream.fail("']' or ':'");
  if (stream.accept(']')) return { type: 'slice', target, from: key, to: NULL };
  return { type: 'slice', target, from: key, to: closed(stream, parsers, ']') };
}
