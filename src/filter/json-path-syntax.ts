import { FilterError } from '../errors.ts';

/**
 * Checks a JSONPath, and rewrites it so that jsonpath-plus takes every name literally. Accepts `$.a.b`, the forms of
 * kubectl (`.a.b`, `{.a.b}`, `\.` for a dot in a name), `*`, `..`, `['name']`, indices, slices and unions; everything
 * else, in particular filters and scripts, is a `FilterError` with its column. Called once, when a filter is compiled.
 *
 * What must hold: the result never makes the library evaluate code, and contains nothing but `$`, `..` and steps in
 * brackets, which `shapeOf` relies on.
 */
export function normalizeJsonPath(expression: string): string {
  const trimmed = expression.trim();
  const braced = /^\{(.*)\}$/s.exec(trimmed)?.[1];
  const source = (braced ?? trimmed).trim();
  let path = '$';
  let position = source.startsWith('$') ? 1 : 0;
  if (position === 0 && !/^[.[]/.test(source)) fail(source, 0, "'$', '.' or '['");
  while (position < source.length) {
    const step = readStep(source, position);
    path += step.path;
    position = step.end;
  }
  return path;
}

interface Step {
  readonly path: string;
  readonly end: number;
}

const NAME = /(?:[^\s.[\](){}'",:?*~^@\\]|\\.)+/y;
const BRACKET = /\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\*|-?\d+|-?\d*:-?\d*(?::\d*)?))\s*\]/y;
const UNION = /\[\s*((?:-?\d+|'[\w-]+'|"[\w-]+")(?:\s*,\s*(?:-?\d+|'[\w-]+'|"[\w-]+"))+)\s*\]/y;

function readStep(source: string, at: number): Step {
  if (source[at] === '[') return readBracket(source, at);
  if (source.startsWith('..', at)) {
    const next = source[at + 2] === '[' ? readBracket(source, at + 2) : readName(source, at + 2);
    return { path: `..${next.path}`, end: next.end };
  }
  if (source[at] !== '.') return fail(source, at, "'.' or '['");
  if (source.length === 1) return { path: '', end: 1 };
  return source[at + 1] === '[' ? readBracket(source, at + 1) : readName(source, at + 1);
}

function readName(source: string, at: number): Step {
  if (source[at] === '*') return { path: '[*]', end: at + 1 };
  const name = match(NAME, source, at)?.[0];
  if (name === undefined) return fail(source, at, "a field name or '*'");
  return { path: `[${quote(name.replace(/\\(.)/g, '$1'))}]`, end: at + name.length };
}

function readBracket(source: string, at: number): Step {
  const union = match(UNION, source, at);
  if (union !== null) return { path: `[${unionPath(union[1] ?? '')}]`, end: at + union[0].length };
  const found = match(BRACKET, source, at);
  if (found === null) return failInBracket(source, at);
  const [whole, single, double, other] = found;
  const name = (single ?? double)?.replace(/\\(.)/g, '$1');
  if (name === undefined) return { path: `[${indexPath(other ?? '*')}]`, end: at + whole.length };
  if (/[()]/.test(name)) fail(source, at + 1, 'a name without parentheses (use jqFilter for others)');
  return { path: `[${quote(name)}]`, end: at + whole.length };
}

function unionPath(list: string): string {
  const members = list.split(',').map((member) => member.trim().replace(/^['"]|['"]$/g, ''));
  const areNames = /['"]/.test(list);
  return members.map((member) => (areNames ? `'${member}'` : member)).join(',');
}

// The library does not support negative indices: use the slice that selects the same element.
function indexPath(index: string): string {
  if (!/^-\d+$/.test(index)) return index;
  const next = Number(index) + 1;
  return next === 0 ? '-1:' : `${index}:${next}`;
}

// The library interprets names such as `*`, `$` or `a,b`, even quoted, except in a union of quoted names: add an empty
// name.
function quote(name: string): string {
  const quoted = `'${name.replace(/['\\]/g, String.raw`\$&`)}'`;
  return /^[\w./-]+$/.test(name) && !name.startsWith('.') ? quoted : `'',${quoted}`;
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function failInBracket(source: string, at: number): never {
  if (/^\[\s*(?:\?|\()/.test(source.slice(at))) {
    throw new FilterError(
      `JSONPath: filters and scripts such as ${JSON.stringify(source.slice(at, at + 20))} are not supported; ` +
        `use jqFilter, for example '.status.conditions[] | select(.type == "Ready")'`,
    );
  }
  return fail(source, at + 1, "a quoted name, an index, a slice, '*' or a union, and ']'");
}

function fail(source: string, at: number, expected: string): never {
  const found = at < source.length ? `unexpected ${JSON.stringify(source[at])}` : 'unexpected end';
  throw new FilterError(
    `JSONPath: ${found} at column ${at + 1}, expected ${expected}\n    ${source}\n    ${' '.repeat(at)}^`,
  );
}
