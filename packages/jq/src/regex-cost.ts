// JavaScript's regular expressions backtrack, and nothing can interrupt a search: a pattern such as `(a+)+$` can block
// the process for hours. So the work of a search is estimated before it starts, from the pattern and the length of the
// text, and `Meter.unbroken` refuses a search whose estimate is too high.
//
// The estimate multiplies three numbers: in how many ways the matcher may try to match from one start position, how
// many atoms the pattern has, and how many start positions there are. It must not be too low, but may be far too high.
// Where the structure of the pattern gives no bound, the cost is infinite.

/** The worst case of a search in a text of length n: `factor` * (n + 1) ** `power` steps. */
export interface RegexCost {
  /** Infinite where no bound is known, as for an unbounded repetition of something that can match in several ways. */
  readonly factor: number;
  readonly power: number;
}

/** The cost of a pattern in the syntax that `translatePattern` produces. */
export function costOf(pattern: string): RegexCost {
  if (pattern.length > MAX_LENGTH) return UNKNOWN;
  const isAnchored = pattern.startsWith(TEXT_START);
  const reader = new CostReader(isAnchored ? pattern.slice(TEXT_START.length) : pattern);
  const { factor, power } = reader.alternatives();
  // A match may start at every position of the text. Behind an anchor, every position but the first fails at once.
  const starts = isAnchored && !reader.hasTopLevelBranches ? 0 : 1;
  return { factor: factor * Math.max(1, reader.size), power: Math.max(1, power + starts) };
}

/** An upper bound for the steps of a search in a text of `length` UTF-16 units. */
export function worstCaseOf({ factor, power }: RegexCost, length: number): number {
  return factor * (length + 1) ** power;
}

const MAX_LENGTH = 1000;
const UNKNOWN: RegexCost = { factor: Number.POSITIVE_INFINITY, power: 1 };
const TEXT_START = String.raw`(?<![\s\S])`;
const ONE: RegexCost = { factor: 1, power: 0 };

/**
 * Counts the ways in which a match can be tried. Those of consecutive parts multiply, those of alternatives add up, and
 * a repetition can have every length.
 */
class CostReader {
  readonly #pattern: string;
  #position = 0;
  #depth = 0;
  hasTopLevelBranches = false;
  /** The number of atoms in the pattern; a bounded repetition counts as its upper bound. */
  size = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): RegexCost {
    let branches = ONE;
    let isFirst = true;
    for (;;) {
      const branch = this.#sequence();
      branches = isFirst
        ? branch
        : { factor: branches.factor + branch.factor, power: Math.max(branches.power, branch.power) };
      isFirst = false;
      if (this.#pattern[this.#position] !== '|') return branches;
      if (this.#depth === 0) this.hasTopLevelBranches = true;
      this.#position += 1;
    }
  }

  #sequence(): RegexCost {
    let ways = ONE;
    while (this.#position < this.#pattern.length && !'|)'.includes(this.#pattern[this.#position] ?? '')) {
      const { cost, isSingle } = this.#atom();
      const bounds = this.#quantifier();
      this.size += bounds === undefined || bounds.most === Number.POSITIVE_INFINITY ? 1 : bounds.most;
      if (bounds === undefined) {
        ways = times(ways, cost);
        continue;
      }
      const isLast = this.#isAtEnd();
      // Nothing that could fail follows, so the matcher tries no other length.
      if (isSingle && isLast && bounds.most === Number.POSITIVE_INFINITY)
        ways = times(ways, { factor: bounds.least + 1, power: 0 });
      else ways = times(ways, repeated(cost, bounds, isSingle));
    }
    return ways;
  }

  /** Whether only closing parentheses follow. */
  #isAtEnd(): boolean {
    return this.#position + this.#depth === this.#pattern.length && /^\)*$/.test(this.#pattern.slice(this.#position));
  }

  /** Reads one character, class, escape or group; `isSingle` if it always matches exactly one character. */
  #atom(): { readonly cost: RegexCost; readonly isSingle: boolean } {
    const char = this.#pattern[this.#position];
    if (char === '(') return { cost: this.#group(), isSingle: false };
    if (char === '[') {
      this.#take(/\[(?:\\[^]|[^\]\\])*\]/y);
      return { cost: ONE, isSingle: true };
    }
    if (char !== '\\') {
      this.#position += (this.#pattern.codePointAt(this.#position) ?? 0) > 0xffff ? 2 : 1;
      return { cost: ONE, isSingle: true };
    }
    // A backreference is compared with the text of its group character by character.
    if (this.#take(/\\[1-9]\d*/y) !== '') return { cost: { factor: 1, power: 1 }, isSingle: false };
    this.#take(/\\(?:[pPu]\{[^}]*\}|x[0-9a-fA-F]{2}|[^])/y);
    return { cost: ONE, isSingle: true };
  }

  #group(): RegexCost {
    this.#take(/\((?:\?(?:<?[=!]|[ims-]*:))?/y);
    this.#depth += 1;
    const cost = this.alternatives();
    this.#depth -= 1;
    this.#position += 1;
    return cost;
  }

  #quantifier(): Bounds | undefined {
    const text = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (text === '') return undefined;
    if (text.startsWith('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (text.startsWith('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (text.startsWith('?')) return { least: 0, most: 1 };
    const [, least = '0', comma, most = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
    if (comma !== ',') return { least: Number(least), most: Number(least) };
    return { least: Number(least), most: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#pattern)?.[0] ?? '';
    this.#position += text.length;
    return text;
  }
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function times(left: RegexCost, right: RegexCost): RegexCost {
  return { factor: left.factor * right.factor, power: left.power + right.power };
}

function repeated(cost: RegexCost, { least, most }: Bounds, isSingle: boolean): RegexCost {
  if (most === 0) return ONE;
  if (most === 1) return { factor: cost.factor + 1, power: cost.power };
  const isPlain = cost.factor === 1 && cost.power === 0;
  // If the repeated part can match in several ways, the ways of all iterations multiply.
  if (!isPlain)
    return most === Number.POSITIVE_INFINITY
      ? UNKNOWN
      : { factor: (cost.factor + 1) ** most, power: cost.power * most };
  // A fixed number of iterations can match in one way only.
  if (least === most) return ONE;
  if (!isSingle && most === Number.POSITIVE_INFINITY) return { factor: least + 1, power: 1 };
  return most === Number.POSITIVE_INFINITY ? { factor: least + 1, power: 1 } : { factor: most + 1, power: 0 };
}
