// jq's patterns have the Perl syntax of the Oniguruma library; here they run as RegExps of JavaScript with the `u`
// flag. This file rewrites a pattern from the one syntax to the other, when regex.ts compiles it.
//
// The translator reads the pattern from left to right, once, and replaces what JavaScript does not know or understands
// differently: class escapes and POSIX brackets become Unicode properties, anchors become lookarounds, and a character
// that is literal only in Oniguruma is escaped. What cannot be expressed, such as possessive quantifiers, raises an
// error.
//
// The result must have the same capture groups as the source, in the same order, as `names` belongs to them by
// position. regex-cost.ts reads the result to estimate its cost: it must know every construct that is written here.

import { CLASS_ESCAPES, POSIX_CLASSES, propertyEscape, WORD } from './regex-classes.ts';
import { raise } from './signals.ts';

/** How a pattern, or a part of it behind flags such as `(?m)`, is translated. */
export interface PatternOptions {
  /** White space and comments in the pattern are ignored. */
  readonly isExtended: boolean;
  readonly dotMatchesNewline: boolean;
  /** `^` and `$` match at the begin and the end of each line, not only of the text. */
  readonly isMultiline: boolean;
}

/** A pattern in the syntax of JavaScript. */
export interface TranslatedPattern {
  readonly pattern: string;
  /** The name of each capture group, null for those without. */
  readonly names: readonly (string | null)[];
}

/**
 * Translates a pattern of jq to one for a RegExp with the `u` flag; raises an error if it is invalid or not supported.
 */
export function translatePattern(source: string, options: PatternOptions): TranslatedPattern {
  const translator = new Translator(source, options);
  return { pattern: translator.alternatives(), names: translator.names };
}

const ANCHOR_ESCAPES: Readonly<Record<string, string>> = {
  A: String.raw`(?<![\s\S])`,
  z: String.raw`(?![\s\S])`,
  Z: String.raw`(?=\n?(?![\s\S]))`,
  b: String.raw`(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: String.raw`(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
};

// Behind the last line feed of the text no line starts.
const LINE_START = String.raw`(?:(?<![\s\S])|(?<=\n)(?=[\s\S]))`;
const LINE_END = String.raw`(?![^\n])`;

const CONTROL_ESCAPES: Readonly<Record<string, string>> = {
  a: String.raw`\x07`,
  e: String.raw`\x1b`,
  f: String.raw`\f`,
  n: String.raw`\n`,
  r: String.raw`\r`,
  t: String.raw`\t`,
  v: String.raw`\v`,
};

const SYNTAX_CHARACTERS = /[\^$\\.*+?()[\]{}|/]/;

/** Translates one pattern from left to right. */
class Translator {
  readonly names: (string | null)[] = [];
  readonly #source: string;
  /** Those at the position: a group may change them, up to its end. */
  #options: PatternOptions;
  #position = 0;

  constructor(source: string, options: PatternOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Translates up to the end of the pattern, or up to the parenthesis that closes the current group. */
  alternatives(): string {
    let pattern = '';
    while (this.#position < this.#source.length && this.#peek() !== ')') pattern += this.#item();
    return pattern;
  }

  #item(): string {
    const char = this.#next();
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '\\':
        return this.#escape();
      case '.':
        return this.#options.dotMatchesNewline ? String.raw`[\s\S]` : String.raw`[^\n]`;
      case '^':
      case '$':
        return this.#anchor(char);
      default:
        return this.#plain(char);
    }
  }

  #anchor(char: '^' | '$'): string {
    if (this.#options.isMultiline) return char === '^' ? LINE_START : LINE_END;
    return ANCHOR_ESCAPES[char === '^' ? 'A' : 'Z'] ?? '';
  }

  #plain(char: string): string {
    if (this.#options.isExtended && /\s/.test(char)) return '';
    if (this.#options.isExtended && char === '#') {
      this.#take(/[^\n]*/y);
      return '';
    }
    if (char === '{') return this.#braces();
    if (char === ']' || char === '}') return `\\${char}`;
    if ('*+?'.includes(char) && this.#peek() === '+') this.#fail('possessive quantifiers are not supported');
    return char;
  }

  /** A repetition such as `{2,3}` or `{2,}`; any other brace is a literal character, as in `{,3}`. */
  #braces(): string {
    const bounds = this.#take(/\d+(?:,\d*)?\}/y);
    return bounds === '' ? String.raw`\{` : `{${bounds}`;
  }

  #group(): string {
    if (this.#take(/\?#[^)]*\)/y) !== '') return '';
    const special = this.#take(/\?(?::|=|!|<=|<!)/y);
    if (special !== '') return this.#closed(`(${special}`);
    const name = /^\?P?<(.*)>$/.exec(this.#take(/\?P?<[^>]*>/y))?.[1];
    if (name !== undefined) {
      // The RegExp gets no group names: jq also allows repeated names, and names that JavaScript does not allow.
      this.names.push(name);
      return this.#closed('(');
    }
    if (this.#peek() === '?') return this.#inlineFlags();
    this.names.push(null);
    return this.#closed('(');
  }

  /** Translates `(?i)`, which applies to the rest of its group, and `(?i:…)`. */
  #inlineFlags(): string {
    const flags = /^\?([imsx]*)(-[imsx]+)?([:)])$/.exec(this.#take(/\?[imsx]*(?:-[imsx]+)?[:)]/y));
    if (flags === null)
      return this.#fail(`group (${this.#source.slice(this.#position, this.#position + 2)} is not supported`);
    const [, on = '', off = '', end] = flags;
    const outside = this.#options;
    this.#options = optionsWith(outside, on, off);
    const open = `(?${on.includes('i') ? 'i' : off.includes('i') ? '-i' : ''}:`;
    if (end === ')') return `${open}${this.alternatives()})`;
    const group = this.#closed(open);
    this.#options = outside;
    return group;
  }

  #closed(open: string): string {
    const outside = this.#options;
    const body = this.alternatives();
    this.#options = outside;
    if (this.#next() !== ')') this.#fail('end pattern with unmatched parenthesis');
    return `${open}${body})`;
  }

  #class(): string {
    let body = this.#take(/\^/y);
    // A `]` in first position is a literal character.
    if (this.#take(/\]/y) !== '') body += String.raw`\]`;
    for (;;) {
      const char = this.#next();
      if (char === '') this.#fail('premature end of char-class');
      if (char === ']') return `[${body}]`;
      body += this.#classItem(char);
    }
  }

  #classItem(char: string): string {
    if (char === '\\') return this.#escapeInClass();
    if (char === '[') return this.#posixClass();
    if (char === '-') return this.#isRange() ? '-' : String.raw`\-`;
    return '^/|(){}.*+?$'.includes(char) ? `\\${char}` : char;
  }

  /** `[:name:]`; any other opening bracket inside a class is a literal character. */
  #posixClass(): string {
    const [, caret, name = ''] = /^:(\^?)(\w+):\]$/.exec(this.#take(/:\^?\w+:\]/y)) ?? [];
    if (caret === '^') this.#fail('negated POSIX brackets are not supported');
    return POSIX_CLASSES[name] ?? String.raw`\[`;
  }

  // Next to a bracket or to a class such as \w, a hyphen is a literal character.
  #isRange(): boolean {
    const before = this.#source.slice(Math.max(0, this.#position - 5), this.#position - 1);
    const after = this.#source.slice(this.#position, this.#position + 2);
    return !/(?:^|[^\\])\[\^?$|\\[dDwWsShH]$|:\]$/.test(before) && !/^(?:\]|\\[dDwWsShH]|\[:)/.test(after);
  }

  #escape(): string {
    const char = this.#next();
    if (char === 'Q') return this.#quoted();
    const known = CLASS_ESCAPES[char]?.outside ?? ANCHOR_ESCAPES[char] ?? CONTROL_ESCAPES[char];
    if (known !== undefined) return known;
    const named = /^<(.*)>$/.exec(char === 'k' ? this.#take(/<[^>]+>/y) : '')?.[1];
    if (named !== undefined) return `\\${this.names.lastIndexOf(named) + 1}(?:)`;
    if (/[1-9]/.test(char)) return `\\${char}${this.#take(/\d/y)}(?:)`;
    return this.#characterEscape(char);
  }

  /** The characters up to `\E`, or up to the end of the pattern, each as it is. */
  #quoted(): string {
    const text = this.#take(/[^]*?(?=\\E|$)/y);
    this.#take(/\\E/y);
    return text.replace(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`);
  }

  #escapeInClass(): string {
    const char = this.#next();
    if (char === 'b') return String.raw`\x08`;
    if (char === '-') return String.raw`\-`;
    return CLASS_ESCAPES[char]?.inside ?? CONTROL_ESCAPES[char] ?? this.#characterEscape(char);
  }

  /** `\xHH`, `\x{H…}`, `\uHHHH`, `\p{…}`, `\pL` as in Go, or an escaped literal character. */
  #characterEscape(char: string): string {
    if (char === '') this.#fail('end pattern at escape');
    const hex =
      char === 'x'
        ? this.#take(/\{[0-9a-fA-F]+\}|[0-9a-fA-F]{1,2}/y)
        : char === 'u'
          ? this.#take(/[0-9a-fA-F]{4}/y)
          : '';
    if (hex !== '') return `\\u{${hex.replace(/[{}]/g, '')}}`;
    const [, caret = '', name] =
      /^\{?(\^?)(\w+)\}?$/.exec(/[pP]/.test(char) ? this.#take(/\{\^?\w+\}|[CLMNPSZ]/y) : '') ?? [];
    if (name !== undefined) return propertyEscape(char, caret, name);
    return SYNTAX_CHARACTERS.test(char) ? `\\${char}` : char;
  }

  #peek(): string {
    return this.#source[this.#position] ?? '';
  }

  #next(): string {
    const point = this.#source.codePointAt(this.#position);
    const char = point === undefined ? '' : String.fromCodePoint(point);
    this.#position += char.length;
    return char;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#source)?.[0] ?? '';
    this.#position += text.length;
    return text;
  }

  #fail(reason: string): never {
    return raise(`${this.#source} (at offset ${this.#position}) is not a valid regex: ${reason}`);
  }
}

function optionsWith(options: PatternOptions, on: string, off: string): PatternOptions {
  const isSet = (flag: string, before: boolean): boolean => (before || on.includes(flag)) && !off.includes(flag);
  return {
    isExtended: isSet('x', options.isExtended),
    dotMatchesNewline: isSet('s', options.dotMatchesNewline),
    isMultiline: isSet('m', options.isMultiline),
  };
}
