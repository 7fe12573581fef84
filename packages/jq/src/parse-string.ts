import type { Parsers } from './parse-pattern.ts';
import type { Node } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** A string, with or without interpolations and a format such as `@base64` before it; or the format alone. */
export function parseString(stream: TokenStream, parsers: Parsers): Node {
  const at = stream.current.at;
  const format = stream.acceptType('format');
  const token = stream.current;
  if (token.type !== 'string') {
    return format === undefined ? stream.fail('a string') : { type: 'format', name: format, at };
  }
  stream.take();
  const [only] = token.parts;
  if (format === undefined && token.parts.length === 1 && typeof only === 'string')
    return { type: 'literal', value: only };
  const parts = token.parts.map((part) => {
    if (typeof part === 'string') return part;
    const nested = stream.nested(part);
    const node = parsers.parsePipe(nested);
    if (nested.current.type !== 'end') nested.fail("')' to close the interpolation");
    return node;
  });
  return { type: 'string', format: format ?? '@text', parts, at };
}
