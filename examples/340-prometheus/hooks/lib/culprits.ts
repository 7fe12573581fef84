import type { Item } from './items.ts';
import { type Check, NoAnswer, UnfitPromtool } from './promtool.ts';

/** Why an item is left out. */
export interface LeftOut {
  readonly item: Item;
  readonly reason: 'Refused' | 'TooLarge' | 'NoAnswer' | 'NotJudged';
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

/** What is known of items by themselves, by their hash. */
export interface Known {
  /** The sentence of a refusal, or undefined. */
  readonly verdicts: Map<string, string | undefined>;
  /** Those about which promtool gave no answer, which are not asked about again for a while. */
  readonly silent: Map<string, Silence>;
}

interface Silence {
  readonly message: string;
  readonly atMs: number;
}

export const MAX_CALLS = 200;
const MAX_MS = 120_000;
const SILENT_MS = 240_000;

/**
 * Finds the items that a configuration cannot have. A whole that is refused is halved until single items are found;
 * only what is not known yet is asked about. An item about which promtool says nothing, such as one whose regular
 * expression needs more memory than it may have, is found in the same way. Throws a NoAnswer where promtool says nothing
 * about the configuration without any item, or about what is good by itself.
 */
export async function judge(items: readonly Item[], check: Check, known: Known): Promise<Judgment> {
  const search = new Search(check, known);
  const candidates = items.filter((item) => !search.isBad(item));
  if ((await search.tried(candidates)) === undefined) return search.judgment(items, candidates);
  const refused = await search.whole([]);
  if (refused !== undefined) return { ...search.judgment(items, []), refused };
  // What was taken before, as the first question of an operator that knows nothing yet: it goes on whatever else is bad.
  const before = candidates.filter((item) => item.wasAccepted && !search.isGood(item));
  if (before.length > 0 && before.length < candidates.length) await search.tried(before);
  await search.halve(candidates.filter((item) => !search.isGood(item)));
  const alone = candidates.filter((item) => search.isGood(item));
  if ((await search.whole(alone)) === undefined) return search.judgment(items, alone);
  // Each is good by itself, but not all together: what the ones before it leave no room for is left out.
  return search.judgment(items, await search.together(alone));
}

class Search {
  readonly #check: Check;
  readonly #known: Known;
  readonly #clashes = new Map<Item, string>();
  readonly #end = performance.now() + MAX_MS;
  #calls = 0;

  constructor(check: Check, known: Known) {
    this.#check = check;
    this.#known = known;
    for (const [hash, { atMs }] of known.silent) {
      if (performance.now() - atMs > SILENT_MS) known.silent.delete(hash);
    }
  }

  /** Asks about items together; what is taken together is good. */
  async whole(items: readonly Item[], beside: readonly Item[] = []): Promise<string | undefined> {
    this.#calls += 1;
    const refusal = await this.#check([...beside, ...items]);
    if (refusal === undefined) for (const { hash } of items) this.#known.verdicts.set(hash, undefined);
    return refusal;
  }

  /** The same, where no answer is as good as a refusal. */
  async tried(items: readonly Item[]): Promise<string | NoAnswer | undefined> {
    return this.whole(items).catch((error: unknown) => {
      if (error instanceof NoAnswer && !(error instanceof UnfitPromtool)) return error;
      throw error;
    });
  }

  isGood({ hash }: Item): boolean {
    return this.#known.verdicts.has(hash) && this.#known.verdicts.get(hash) === undefined;
  }

  isBad({ hash }: Item): boolean {
    return this.#known.verdicts.get(hash) !== undefined || this.#known.silent.has(hash);
  }

  /** Finds the bad ones among items that are refused together; `answer` is what was said of exactly these. */
  async halve(items: readonly Item[], answer?: string | NoAnswer): Promise<void> {
    const [only, ...others] = items;
    if (only === undefined || this.#isOver()) return;
    if (others.length === 0) {
      this.#remember(only, answer ?? (await this.tried([only])));
      return;
    }
    const middle = Math.ceil(items.length / 2);
    const [left, right] = [items.slice(0, middle), items.slice(middle)];
    const ofLeft = await this.tried(left);
    // Where the left half is good, the right one is known to be bad without a question.
    if (ofLeft === undefined) return this.halve(right);
    await this.halve(left, ofLeft);
    if (this.#isOver()) return;
    const ofRight = await this.tried(right);
    if (ofRight !== undefined) await this.halve(right, ofRight);
  }

  #remember({ hash }: Item, answer: string | NoAnswer | undefined): void {
    if (answer instanceof NoAnswer) {
      this.#known.silent.set(hash, { message: answer.message, atMs: performance.now() });
    } else if (answer !== undefined) this.#known.verdicts.set(hash, answer);
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
    const refusal = this.#clashes.get(item) ?? this.#known.verdicts.get(item.hash);
    if (refusal !== undefined) return { item, reason: 'Refused', message: refusal };
    const silence = this.#known.silent.get(item.hash);
    if (silence !== undefined) return { item, reason: 'NoAnswer', message: silence.message };
    const message = `promtool was asked ${this.#calls} times and has not come to this one yet: it is asked again, sooner where what else is left out is corrected`;
    return { item, reason: 'NotJudged', message };
  }
}
