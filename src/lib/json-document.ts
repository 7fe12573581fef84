import { isObject } from './json-object.ts';

/** The result for a text that must be read as YAML. */
export const notJson: unique symbol = Symbol('not JSON');

/**
 * Reads a text that is one JSON object, with the same result as a YAML reader but a hundred times faster. Returns
 * `notJson` for everything that YAML reads differently or reports as a problem: a duplicate key, a merge key, more than
 * `maxDepth` levels.
 */
export function readJsonDocument(text: string, maxDepth: number): unknown {
  if (!/^\s*\{/.test(text) || /"(?:<<|__proto__)"/.test(text)) return notJson;
  const marks = countMarks(text);
  if (marks.depth > maxDepth) return notJson;
  let keys = 0;
  try {
    const value: unknown = JSON.parse(text, (_key, part: unknown) => {
      if (isObject(part)) keys += Object.keys(part).length;
      return part;
    });
    return keys === marks.keys ? value : notJson;
  } catch {
    return notJson;
  }
}

/** Returns the depth of a JSON text and the number of keys written in it. */
function countMarks(text: string): { readonly depth: number; readonly keys: number } {
  let open = 0;
  let depth = 0;
  let keys = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) at += char === '\\' ? 1 : 0;
    else if (char === ':') keys += 1;
    else if (char === '{' || char === '[') depth = Math.max(depth, ++open);
    else if (char === '}' || char === ']') open -= 1;
  }
  return { depth, keys };
}
