/** A text that is JSON: its value; or `notJson` where a reader of YAML has to look at it. */
export const notJson: unique symbol = Symbol('not JSON');

/**
 * Reads a text that is one JSON object, as YAML would, in a hundredth of the time. What YAML reads in another way, or has
 * something to say about, is left to it: a key that comes twice, a merge key, more than `maxDepth` levels.
 */
export function readJsonDocument(text: string, maxDepth: number): unknown {
  if (!/^\s*\{/.test(text) || /"(?:<<|__proto__)"/.test(text)) return notJson;
  const marks = countMarks(text);
  if (marks.depth > maxDepth) return notJson;
  let keys = 0;
  try {
    const value: unknown = JSON.parse(text, (_key, part: unknown) => {
      if (typeof part === 'object' && part !== null && !Array.isArray(part)) keys += Object.keys(part).length;
      return part;
    });
    return keys === marks.keys ? value : notJson;
  } catch {
    return notJson;
  }
}

/** Of a text that is JSON: how deep it is nested, and how many keys are written in it. */
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
