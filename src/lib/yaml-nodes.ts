import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { shown } from './shown.ts';

/** Limit of the characters to which the aliases of one document expand. */
const MAX_ALIASED_CHARACTERS = 4 * 1024 * 1024;
/** Limit of the anchors and aliases of one document. */
const MAX_ANCHORS = 10_000;
/** At most this many problems of one document are reported. */
export const MAX_PROBLEMS = 100;

/** A problem and its offset in the text. */
export interface Found {
  readonly offset: number;
  readonly message: string;
}

/**
 * Checks what the composer does not: duplicate keys, keys that are not plain values, and the size of expanded aliases.
 */
export function checkNodes(contents: Node | null): readonly Found[] {
  const check = new NodeCheck();
  check.weigh(contents);
  return check.found;
}

class NodeCheck {
  readonly found: Found[] = [];
  /** The expanded size of each anchor in characters, including the aliases within it. */
  readonly #weights = new Map<string, number>();
  #anchors = 0;
  #aliased = 0;

  /** Returns the expanded size of `node` in characters. */
  weigh(node: unknown): number {
    if (isAlias(node)) return this.#weighAlias(node.source, offsetOf(node));
    const weight = this.#weighContent(node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) {
      this.#count(offsetOf(node));
      this.#weights.set(anchor, weight);
    }
    return weight;
  }

  #weighContent(node: unknown): number {
    if (isMap(node)) return this.#weighMap(node.items);
    if (isSeq(node)) return node.items.reduce<number>((sum, item) => sum + this.weigh(item) + 1, 2);
    return isScalar(node) ? lengthOf(node.value) : 0;
  }

  #weighMap(pairs: readonly Pair[]): number {
    const keys = new Set<string>();
    let weight = 2;
    for (const { key, value } of pairs) {
      weight += this.weigh(key) + this.weigh(value) + 1;
      if (isScalar(key)) this.#checkKey(keys, key.value, offsetOf(key));
      else if (key !== null) this.#report(offsetOf(key), 'a key that is not a plain value');
    }
    return weight;
  }

  #checkKey(keys: Set<string>, value: unknown, offset: number): void {
    if (value === null) this.#report(offset, 'a key that is null');
    // Merge keys are symbols, and may be repeated.
    if (typeof value === 'symbol') return;
    const key = keyOf(value);
    if (keys.has(key)) this.#report(offset, `Map keys must be unique, ${shown(key)} comes twice`);
    keys.add(key);
  }

  #weighAlias(source: string, offset: number): number {
    this.#count(offset);
    const weight = this.#weights.get(source);
    if (weight === undefined) {
      this.#report(offset, `Unresolved alias (the anchor must be set before the alias): ${source}`);
      return 0;
    }
    const before = this.#aliased;
    this.#aliased += weight;
    if (before <= MAX_ALIASED_CHARACTERS && this.#aliased > MAX_ALIASED_CHARACTERS) {
      this.#report(offset, `aliases that stand for more than ${MAX_ALIASED_CHARACTERS} characters`);
    }
    return weight;
  }

  #count(offset: number): void {
    this.#anchors += 1;
    if (this.#anchors === MAX_ANCHORS + 1) this.#report(offset, `more than ${MAX_ANCHORS} anchors and aliases`);
  }

  #report(offset: number, message: string): void {
    if (this.found.length < MAX_PROBLEMS) this.found.push({ offset, message });
  }
}

/** Returns the key as it becomes a key of an object. */
function keyOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : (JSON.stringify(value) ?? '');
}

function offsetOf(node: unknown): number {
  const hasRange = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node);
  return hasRange ? (node.range?.[0] ?? 0) : 0;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length + 2 : keyOf(value).length;
}
