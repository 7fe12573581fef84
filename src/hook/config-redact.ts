import { shown } from '../lib/shown.ts';
import { readText, report, type Read } from './config-reader.ts';

const MAX_CHARS = 253;
const MAX_PARTS = 20;
const PART = /\.?([^.[\]'"$\s]+)|\[(?:'([^'\]]+)'|"([^"\]]+)"|\*|\d+)\]/y;

/**
 * A field that is masked: keys with dots between them, as in `spec.auth.password`, or as a JSONPath such as
 * `$.spec.users[*].password` and `{.data['ca.crt']}`. Elements of lists need no part of their own.
 */
export const readRedact: Read<readonly string[]> = (value, place) => {
  const text = readText(value, place);
  if (text === undefined) return undefined;
  const parts =
    text.length > MAX_CHARS
      ? []
      : partsOf(
          text
            .trim()
            .replace(/^\{(.*)\}$/s, '$1')
            .replace(/^\$/, ''),
        );
  if (parts.length > 0 && parts.length <= MAX_PARTS) return parts;
  return report(place, `got ${shown(text)}, expected the keys that lead to a field, such as spec.auth.password`);
};

/** Empty where the text is no path. */
function partsOf(path: string): readonly string[] {
  const parts: string[] = [];
  PART.lastIndex = 0;
  let end = 0;
  for (let found = PART.exec(path); found !== null; found = PART.exec(path)) {
    end = PART.lastIndex;
    const [, plain, single, double] = found;
    const part = plain ?? single ?? double;
    if (part !== undefined) parts.push(part);
  }
  return end === path.length ? parts : [];
}
