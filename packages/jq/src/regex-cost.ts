/**
 * How much work a search with a pattern may be at worst, as a factor and a power of the length of the text. A search by
 * backtracking cannot be stopped by the meter, so what may run where it cannot be terminated is decided before.
 */
export interface RegexCost {
  /** Infinite where nothing is known, as for repetitions in repetitions. */
  readonly factor: number;
  readonly power: number;
}

/** The cost of a pattern in the form that `translatePattern` writes. */
export function costOf(pattern: string): RegexCost {
  if (pattern.length > MAX_LENGTH) return UNKNOWN;
  const isAnchored = pattern.startsWith(TEXT_START);
  const reader = new CostReader(isAnchored ? pattern.slice(TEXT_START.length) : pattern);
  const { factor, power } = reader.alternatives();
  // Every place of the text may be where a match starts; behind an anchor each but the first fails at once.
  const starts = isAnchored && !reader.hasTopLevelBranches ? 0 : 1;
  return { factor: factor * Math.max(1, reader.size), power: Math.max(1, power + starts) };
}

/** The most steps of a search in a text of `length`. */
export function worstCaseOf({ factor, power }: RegexCost, length: number): number {
  return factor * (length + 1) ** power;
}

const MAX_LENGTH = 1000;
const UNKNOWN: RegexCost = { factor: Number.POSITIVE_INFINITY, power: 1 };
const TEXT_START = String.raw`(?<![\s\S])`;
const ONE: RegexCost = { factor: 1, power: 0 };

/** Reads how many ways a match can go: in a row they multiply, alternatives add up, each repetition has every length. */
class CostReader {
  readonly #pattern: string;
  #position = 0;
  #depth = 0;
  hasTopLevelBranches = false;
  /** How many atoms one way leads through. */
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
      // Nothing follows that could fail, so no other length is tried.
      if (isSingle && isLast && bounds.most === Number.POSITIVE_INFINITY)
        ways = times(ways, { factor: bounds.least + 1, power: 0 });
      else ways = times(ways, repeated(cost, bounds, isSingle));
    }
    return ways;
  }

  /** Whether nothing but the ends of groups follows. */
  #isAtEnd(): boolean {
    return this.#position + this.#depth === this.#pattern.length && /^\)*$/.test(this.#pattern.slice(this.#position));
  }

  /** One character, class, escape or group; `isSingle` where it always takes exactly one character. */
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
    // What a group took is compared character by character.
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
  // What repeats must take something in one way, or the ways of all turns multiply.
  if (!isPlain)
    return most === Number.POSITIVE_INFINITY
      ? UNKNOWN
      : { factor: (cost.factor + 1) ** most, power: cost.power * most };
  // One way only.
  if (least === most) return ONE;
  if (!isSingle && most === Number.POSITIVE_INFINITY) return { factor: least + 1, power: 1 };
  return most === Number.POSITIVE_INFINITY ? { factor: least + 1, power: 1 } : { factor: most + 1, power: 0 };
}
