/*
 * The texts that a text may stand for: programs escape what they print, for JSON, for JSON within JSON or for a URL, each
 * in its own way. Where a text is read, a value is found however it was escaped.
 */

/** A text as it reads, and where in the text that was given its characters are. */
export interface Reading {
  readonly text: string;
  readonly placeOf: (at: number) => number;
}

/** What stands for another character, and for which; for none where a text was cut (`…`) within it. */
interface Escaping {
  /** No text without it is escaped so. */
  readonly sign: string;
  readonly escaped: RegExp;
  readonly meant: (escaped: string) => string;
}

/** JSON within JSON. */
const MAX_NESTED = 2;

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ '0': '\0', a: '\u0007', b: '\b', e: '\u001B', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }),
);

/** How many characters, from the letter on, say which character is meant. */
const CODES: ReadonlyMap<string, number> = new Map(Object.entries({ u: 5, x: 3, U: 9 }));

/** That of JSON, of YAML, of texts in programs and of words in a shell. */
const BACKSLASH: Escaping = {
  sign: '\\',
  escaped:
    /\\(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|U000[\dA-Fa-f]{5}|(?:u[\dA-Fa-f]{0,3}|x[\dA-Fa-f]?|U[\dA-Fa-f]{0,7})?(?=…)|[^])/g,
  meant: (escaped) => {
    const letter = escaped.charAt(1);
    const length = CODES.get(letter);
    if (length === undefined) return LETTERS.get(letter) ?? letter;
    return escaped.length > length ? String.fromCodePoint(Number.parseInt(escaped.slice(2), 16)) : '';
  },
};

/** That of a URL: the bytes of a character. */
const PERCENT: Escaping = {
  sign: '%',
  escaped:
    /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|%[\da-f%]{0,10}(?=…)/gi,
  meant: (escaped) => {
    const first = Number.parseInt(escaped.slice(1, 3), 16);
    if (first < 0x80 && escaped.length === 3) return String.fromCharCode(first);
    const character = Buffer.from(escaped.replaceAll('%', ''), 'hex').toString();
    return character.includes('\uFFFD') ? '' : character;
  },
};

/** That of a form, where `+` is a space. */
const FORM: Escaping = {
  sign: '+',
  escaped: new RegExp(String.raw`\+|${PERCENT.escaped.source}`, 'gi'),
  meant: (escaped) => (escaped === '+' ? ' ' : PERCENT.meant(escaped)),
};

/** The text itself, and what it may stand for. */
export function* readingsOf(text: string): Generator<Reading> {
  const given: Reading = { text, placeOf: (at) => at };
  yield* nestedIn(given);
  for (const escaping of [PERCENT, FORM]) yield* nestedIn(unescaped(given, escaping));
}

function* nestedIn(reading: Reading | undefined): Generator<Reading> {
  let one = reading;
  for (let depth = 0; one !== undefined && depth <= MAX_NESTED; depth += 1) {
    yield one;
    one = unescaped(one, BACKSLASH);
  }
}

/** Undefined where nothing is escaped. */
function unescaped({ text, placeOf }: Reading, { sign, escaped, meant }: Escaping): Reading | undefined {
  if (!text.includes(sign)) return undefined;
  // Where a part begins: in what is read, and in the text.
  const starts = [0];
  const places = [0];
  let length = 0;
  let done = 0;
  const read = text.replace(escaped, (match: string, at: number) => {
    const character = meant(match);
    length += at - done + character.length;
    done = at + match.length;
    starts.push(length);
    places.push(done);
    return character;
  });
  if (done === 0) return undefined;
  return {
    text: read,
    placeOf: (at) => {
      const part = lastUpTo(starts, at);
      return placeOf((places[part] ?? 0) + at - (starts[part] ?? 0));
    },
  };
}

/** The index of the last of the ascending numbers that is not greater. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
