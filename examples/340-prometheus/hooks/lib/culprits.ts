import type { Item } from './items.ts';
import type { Check } from './promtool.ts';

/** Why an item is left out. */
export interface LeftOut {
  readonly item: Item;
  readonly reason: 'Refused' | 'TooLarge' | 'NotJudged';
  readonly message: string;
}

export interface Judgment {
  /** What the configuration is made of: checked as a whole. */
  readonly kept: readonly Item[];
  readonly leftOut: readonly LeftOut[];
  /** What promtool says of the configuration without any item. */
  readonly refused?: string;
  readonly calls: number;
}

/** What is known of items by themselves, by their hash: the sentence of a refusal, or undefined. */
export type Verdicts = Map<string, string | undefined>;

export const MAX_CALLS = 200;
const MAX_MS = 120_000;

/**
 * Finds the items that a configuration cannot have. A whole that is refused is halved until single items are found;
 * only what is not known yet is asked about.
 */
export async function judge(items: readonly Item[], check: Check, verdicts: Verdicts): Promise<Judgment> {
  const search = new Search(check, verdicts);
  const usable = items.filter(({ problem }) => problem === undefined);
  const candidates = usable.filter(({ hash }) => verdicts.get(hash) === undefined);
  if ((await search.whole(candidates)) === undefined) return search.judgment(items, candidates);
  const refused = await search.whole([]);
  if (refused !== undefined) return { ...search.judgment(items, []), refused };
  await search.halve(candidates.filter(({ hash }) => !verdicts.has(hash)));
  const alone = candidates.filter((item) => search.isGood(item));
  if ((await search.whole(alone)) === undefined) return search.judgment(items, alone);
  // Each is good by itself, but not all together: what the ones before it leave no room for is left out.
  return search.judgment(items, await search.together(alone));
}

class Search {
  readonly #check: Check;
  readonly #verdicts: Verdicts;
  readonly #clashes = new Map<Item, string>();
  readonly #end = performance.now() + MAX_MS;
  #calls = 0;

  constructor(check: Check, verdicts: Verdicts) {
    this.#check = check;
    this.#verdicts = verdicts;
  }

  /** Asks about items together; what is taken together is good. */
  async whole(items: readonly Item[], beside: readonly Item[] = []): Promise<string | undefined> {
    this.#calls += 1;
    const refusal = await this.#check([...beside, ...items]);
    if (refusal === undefined) for (const { hash } of items) this.#verdicts.set(hash, undefined);
    return refusal;
  }

  isGood({ hash }: Item): boolean {
    return this.#verdicts.has(hash) && this.#verdicts.get(hash) === undefined;
  }

  /** Finds the bad ones among items that are refused together; `refusal` is what was said of exactly these. */
  async halve(items: readonly Item[], refusal?: string): Promise<void> {
    const [only, ...others] = items;
    if (only === undefined || this.#isOver()) return;
    if (others.length === 0) {
      const alone = refusal ?? (await this.whole([only]));
      if (alone !== undefined) this.#verdicts.set(only.hash, alone);
      return;
    }
    const middle = Math.ceil(items.length / 2);
    const [left, right] = [items.slice(0, middle), items.slice(middle)];
    const ofLeft = await this.whole(left);
    // Where the left half is good, the right one is known to be bad without a question.
    if (ofLeft === undefined) return this.halve(right);
    await this.halve(left, ofLeft);
    if (this.#isOver()) return;
    const ofRight = await this.whole(right);
    if (ofRight !== undefined) await this.halve(right, ofRight);
  }

  /** The items that go together, first come first served. */
  async together(items: readonly Item[]): Promise<readonly Item[]> {
    let kept: readonly Item[] = [];
    const add = async (part: readonly Item[]): Promise<void> => {
      if (part.length === 0 || this.#isOver()) return;
      const refusal = await this.whole(part, kept);
      if (refusal === undefined) {
        kept = [...kept, ...part];
        return;
      }
      const [only, ...others] = part;
      if (only !== undefined && others.length === 0) {
        this.#clashes.set(only, `together with the others: ${refusal}`);
        return;
      }
      const middle = Math.ceil(part.length / 2);
      await add(part.slice(0, middle));
      await add(part.slice(middle));
    };
    await add(items);
    return kept;
  }

  #isOver(): boolean {
    return this.#calls >= MAX_CALLS || performance.now() > this.#end;
  }

  judgment(items: readonly Item[], kept: readonly Item[]): Judgment {
    const isKept = new Set(kept);
    const leftOut = items.filter((item) => !isKept.has(item)).map((item) => this.#whyNot(item));
    return { kept, leftOut, calls: this.#calls };
  }

  #whyNot(item: Item): LeftOut {
    if (item.problem !== undefined) return { item, reason: 'TooLarge', message: item.problem };
    const refusal = this.#clashes.get(item) ?? this.#verdicts.get(item.hash);
    if (refusal !== undefined) return { item, reason: 'Refused', message: refusal };
    const message = `promtool was asked ${this.#calls} times and has not come to this one yet: it is asked again, sooner where what else is left out is corrected`;
    return { item, reason: 'NotJudged', message };
  }
}
