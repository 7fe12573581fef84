// The classes of characters of Oniguruma, as JavaScript writes them with the `u` flag.

/** What `\w` matches, for use inside square brackets. */
export const WORD = String.raw`\p{L}\p{M}\p{N}\p{Pc}`;
const SPACE = String.raw`\t-\r\x20\x85\p{Z}`;

/** The translation of each class escape, inside and outside square brackets. */
export const CLASS_ESCAPES: Readonly<Record<string, { readonly inside: string; readonly outside: string }>> = {
  d: { inside: String.raw`\p{Nd}`, outside: String.raw`\p{Nd}` },
  D: { inside: String.raw`\P{Nd}`, outside: String.raw`\P{Nd}` },
  w: { inside: WORD, outside: `[${WORD}]` },
  W: { inside: String.raw`\W`, outside: `[^${WORD}]` },
  s: { inside: SPACE, outside: `[${SPACE}]` },
  S: { inside: String.raw`\S`, outside: `[^${SPACE}]` },
  h: { inside: '0-9a-fA-F', outside: '[0-9a-fA-F]' },
  H: { inside: String.raw`\x00-\/:-@G-\x60g-\u{10FFFF}`, outside: '[^0-9a-fA-F]' },
};

/** The translation of each POSIX bracket such as `[:alpha:]`, by its name. */
export const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: String.raw`\p{L}\p{M}\p{N}`,
  alpha: String.raw`\p{L}\p{M}`,
  ascii: String.raw`\x00-\x7f`,
  blank: String.raw`\t\p{Zs}`,
  cntrl: String.raw`\p{Cc}`,
  digit: String.raw`\p{Nd}`,
  graph: String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}`,
  lower: String.raw`\p{Ll}`,
  print: String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}`,
  punct: String.raw`\p{P}\p{S}`,
  space: SPACE,
  upper: String.raw`\p{Lu}`,
  word: WORD,
  xdigit: '0-9a-fA-F',
};

/** Translates `\p{name}` and its negations `\P{name}` and `\p{^name}`. */
export function propertyEscape(char: string, caret: string, name: string): string {
  const isNegated = (char === 'P') !== (caret === '^');
  const property = POSIX_PROPERTIES[name.toLowerCase()] ?? name;
  const isScript = /^(?:Han|Hiragana|Katakana|Latin|Greek|Cyrillic|Arabic|Hebrew|Thai|Hangul)$/.test(property);
  return `\\${isNegated ? 'P' : 'p'}{${isScript ? 'Script=' : ''}${property}}`;
}

const POSIX_PROPERTIES: Readonly<Record<string, string>> = {
  alnum: 'Alphabetic',
  alpha: 'Alphabetic',
  lower: 'Lowercase',
  space: 'White_Space',
  upper: 'Uppercase',
  digit: 'Nd',
  punct: 'P',
};
