import { textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { badRequest } from './status-error.ts';

/**
 * Parses the `shardSelector` of a list or a watch (KEP-5866), which selects ranges of the hash of one field; throws the
 * server's 400 for any other text.
 */
export function parseShardSelector(text: string): (object: JsonObject) => boolean {
  const ranges = parseRanges(text);
  const [{ field } = { field: '' }] = ranges;
  const other = ranges.find((range) => range.field !== field);
  if (other !== undefined) {
    throw refused(
      `all shard ranges must use the same field, got ${JSON.stringify(field)} and ${JSON.stringify(other.field)}`,
    );
  }
  const path = field.split('.').slice(1);
  return (object) => {
    const hash = fnv1a(textAt(object, ...path));
    return ranges.some(({ start, end }) => start <= hash && hash < end);
  };
}

interface Range {
  readonly field: string;
  readonly start: bigint;
  /** Exclusive. */
  readonly end: bigint;
}

const RANGE = /\s*(\w+)\s*\(([^()]*)\)\s*(\|\||$)/y;

function parseRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  RANGE.lastIndex = 0;
  while (RANGE.lastIndex < text.length || ranges.length === 0) {
    const at = RANGE.lastIndex;
    const match = RANGE.exec(text);
    if (match === null)
      throw refused(`CEL parse error: Syntax error: mismatched input ${JSON.stringify(text.slice(at))}`);
    const [, name = '', parameters = '', operator] = match;
    if (name !== 'shardRange') {
      throw refused(`unsupported function ${JSON.stringify(name)}; only shardRange() and || are allowed`);
    }
    ranges.push(parseRange(parameters));
    if (operator === '||' && RANGE.lastIndex >= text.length)
      throw refused('CEL parse error: Syntax error: mismatched input');
  }
  return ranges;
}

const FIELDS = ['object.metadata.uid', 'object.metadata.namespace'];

function parseRange(text: string): Range {
  const parameters = text.split(',').map((parameter) => parameter.trim());
  const [field = '', start = '', end = ''] = parameters;
  if (parameters.length !== 3) throw refused(`shardRange() requires exactly 3 arguments, got ${parameters.length}`);
  if (!FIELDS.includes(field)) {
    throw refused(`unsupported field path ${JSON.stringify(field)}; supported: ${FIELDS.join(', ')}`);
  }
  const range = { field, start: parseHash(start, 'hexStart'), end: parseHash(end, 'hexEnd') };
  if (range.start >= range.end)
    throw refused(`shard range start ${unquoted(start)} must be less than end ${unquoted(end)}`);
  return range;
}

/** 2^64, the end of the last range. */
const LIMIT = '0x10000000000000000';

function parseHash(literal: string, name: string): bigint {
  if (!/^(?:'[^']*'|"[^"]*")$/.test(literal)) throw refused(`${name} must be a string literal (e.g. '0xff')`);
  const text = unquoted(literal);
  const shown = JSON.stringify(text);
  if (!text.startsWith('0x')) throw refused(`${name} must have '0x' prefix, got ${shown}`);
  if (!/^0x[\da-f]*$/.test(text)) throw refused(`${name}: invalid hex character in ${shown}`);
  if (text !== LIMIT && text.length !== '0x'.length + 16) {
    throw refused(`${name} must be a 0x-prefixed 16-digit hex value, got ${shown}`);
  }
  return BigInt(text);
}

function unquoted(literal: string): string {
  return literal.slice(1, -1);
}

/** The 64-bit FNV-1a hash of the UTF-8 of a text. */
function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

function refused(why: string) {
  return badRequest(`invalid shardSelector: ${why}`);
}
