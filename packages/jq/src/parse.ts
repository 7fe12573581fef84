import type { Numbers } from './number-literal.ts';
import { parsePatterns } from './parse-pattern.ts';
import { parseTerm } from './parse-term.ts';
import type { AssignOperator, BinaryOperator, Definition, Node, Parameter } from './syntax.ts';
import { TokenStream } from './token-stream.ts';
import { tokenize } from './tokenize.ts';

/** Parses a whole program; one that has only definitions, or nothing at all, ends in `.`. */
export function parseProgram(source: string, numbers: Numbers = 'doubles'): Node {
  const stream = new TokenStream(source, tokenize(source, numbers));
  rejectModules(stream);
  const program = stream.current.type === 'end' ? IDENTITY : parsePipe(stream);
  if (stream.current.type !== 'end') stream.fail('an operator or the end of the expression');
  return program;
}

/** Parses a file of definitions alone. */
export function parseDefinitions(source: string): readonly Definition[] {
  const stream = new TokenStream(source, tokenize(source));
  const definitions: Definition[] = [];
  while (stream.is('def')) definitions.push(parseDefinition(stream));
  if (stream.current.type !== 'end') stream.fail("'def'");
  return definitions;
}

const IDENTITY: Node = { type: 'identity' };

function rejectModules(stream: TokenStream): void {
  for (const word of ['import', 'include', 'module']) {
    if (stream.is(word))
      stream.failAt(`${word} is not supported: a program is one self-contained text`, stream.current.at);
  }
}

/** The loosest level: `def …; …`, `label $x | …`, and filters joined by `|`. */
export function parsePipe(stream: TokenStream): Node {
  if (stream.is('def')) {
    const definition = parseDefinition(stream);
    const isLast = stream.current.type === 'end';
    return { type: 'def', definition, body: isLast ? IDENTITY : parsePipe(stream) };
  }
  const left = parseComma(stream);
  if (!stream.accept('|')) return left;
  return { type: 'pipe', left, right: parsePipe(stream) };
}

function parseComma(stream: TokenStream): Node {
  let left = parseBinding(stream);
  while (stream.accept(',')) {
    left = { type: 'comma', left, right: parseBinding(stream) };
  }
  return left;
}

/** `source as patterns | body`, where the source is everything since the last comma or pipe; or the source alone. */
function parseBinding(stream: TokenStream): Node {
  const source = parseAlternative(stream);
  if (!stream.accept('as')) return source;
  const patterns = parsePatterns(stream, PARSERS);
  stream.expect('|');
  return { type: 'bind', source, patterns, body: parsePipe(stream) };
}

/** Everything that binds tighter than a comma. */
export function parseAlternative(stream: TokenStream): Node {
  const left = parseAssignment(stream);
  if (!stream.accept('//')) return left;
  return { type: 'alternative', left, right: parseAlternative(stream) };
}

const ASSIGN_OPERATORS: readonly AssignOperator[] = ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='];

function parseAssignment(stream: TokenStream): Node {
  const left = parseOr(stream);
  const operator = acceptOneOf(stream, ASSIGN_OPERATORS);
  if (operator === undefined) return left;
  const node: Node = { type: 'assign', operator, left, right: parseOr(stream) };
  if (acceptOneOf(stream, ASSIGN_OPERATORS) !== undefined) stream.fail('one assignment; use parentheses to nest them');
  return node;
}

function parseOr(stream: TokenStream): Node {
  let left = parseAnd(stream);
  while (stream.accept('or')) left = { type: 'or', left, right: parseAnd(stream) };
  return left;
}

function parseAnd(stream: TokenStream): Node {
  let left = parseComparison(stream);
  while (stream.accept('and')) left = { type: 'and', left, right: parseComparison(stream) };
  return left;
}

const COMPARISONS: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>='];
const SUMS: readonly BinaryOperator[] = ['+', '-'];
const PRODUCTS: readonly BinaryOperator[] = ['*', '/', '%'];

function parseComparison(stream: TokenStream): Node {
  const left = parseSum(stream);
  const operator = acceptOneOf(stream, COMPARISONS);
  if (operator === undefined) return left;
  const node: Node = { type: 'binary', operator, left, right: parseSum(stream) };
  if (acceptOneOf(stream, COMPARISONS) !== undefined) stream.fail('one comparison; use parentheses to nest them');
  return node;
}

function parseSum(stream: TokenStream): Node {
  let left = parseProduct(stream);
  for (;;) {
    const operator = acceptOneOf(stream, SUMS);
    if (operator === undefined) return left;
    left = { type: 'binary', operator, left, right: parseProduct(stream) };
  }
}

function parseProduct(stream: TokenStream): Node {
  let left = parsePrefix(stream);
  for (;;) {
    const operator = acceptOneOf(stream, PRODUCTS);
    if (operator === undefined) return left;
    left = { type: 'binary', operator, left, right: parsePrefix(stream) };
  }
}

function acceptOneOf<T extends string>(stream: TokenStream, operators: readonly T[]): T | undefined {
  if (stream.current.type !== 'operator') return undefined;
  return operators.find((operator) => stream.accept(operator));
}

/** An operand: `-x`, `try`, `label`, `def`, or a term. */
function parsePrefix(stream: TokenStream): Node {
  if (stream.is('def')) return parsePipe(stream);
  if (stream.accept('-')) return { type: 'negate', operand: parsePrefix(stream) };
  if (stream.is('label')) return parseLabel(stream);
  if (stream.is('try')) return parseTry(stream);
  return parseTerm(stream, PARSERS);
}

const PARSERS = { parsePipe, parseAlternative };

function parseLabel(stream: TokenStream): Node {
  stream.expect('label');
  const name = stream.expectType('variable', "a label name such as '$out'");
  stream.expect('|');
  return { type: 'label', name, body: parsePipe(stream) };
}

function parseTry(stream: TokenStream): Node {
  stream.expect('try');
  const body = parseGuarded(stream);
  if (!stream.accept('catch')) return { type: 'try', body };
  return { type: 'try', body, handler: parseGuarded(stream) };
}

function parseGuarded(stream: TokenStream): Node {
  if (stream.is('try')) return parseTry(stream);
  if (stream.accept('-')) return { type: 'negate', operand: parseGuarded(stream) };
  return parseTerm(stream, PARSERS);
}

function parseDefinition(stream: TokenStream): Definition {
  stream.expect('def');
  const name = stream.expectType('name', 'a function name');
  const params: Parameter[] = [];
  if (stream.accept('(')) {
    do params.push(parseParameter(stream));
    while (stream.accept(';'));
    stream.expect(')');
  }
  stream.expect(':');
  const body = parsePipe(stream);
  stream.expect(';');
  return { name, params, body };
}

function parseParameter(stream: TokenStream): Parameter {
  const variable = stream.acceptType('variable');
  if (variable !== undefined) return { name: variable, isValue: true };
  return { name: stream.expectType('name', "a parameter name such as 'f' or '$value'"), isValue: false };
}
