/** From this many characters of warnings on, each is cut. */
const MAX_CHARACTERS = 4096;

/** What is left of a warning that is cut. */
const CUT_CHARACTERS = 256;

/** The values of the `Warning` headers of an answer; what cannot be in a header is left out. */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const distinct = [...new Set(warnings)].filter((text) => text !== '' && !hasControlCharacters(text));
  const total = distinct.reduce((sum, text) => sum + characters(text).length, 0);
  if (total <= MAX_CHARACTERS) return distinct.map(header);
  const kept: string[] = [];
  let written = 0;
  for (const text of distinct) {
    if (written >= MAX_CHARACTERS) break;
    const cut = characters(text).slice(0, CUT_CHARACTERS);
    written += cut.length;
    kept.push(header(cut.join('')));
  }
  return kept;
}

function characters(text: string): readonly string[] {
  return Array.from(text);
}

function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** In a header each byte of UTF-8 is a character. */
function header(text: string): string {
  const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}
