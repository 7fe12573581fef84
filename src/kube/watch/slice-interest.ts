import { SLICES, type SliceHash } from '../../lib/slice-hash.ts';
import { rawFrameObject, rawSlice } from './raw-slice.ts';
import { sliceIndexesOf, type Slice, type Sliced, type SliceField, type SliceIndexes } from './slice.ts';

/**
 * Which objects the subscribers of a watch want: those of their slices, or all of them as soon as one of them has no
 * slice. `SharedWatch` adds and removes the slices of its subscribers; the requests ask it for every object that
 * arrives, mostly before it is parsed.
 */
export class SliceInterest {
  readonly #hash: SliceHash;
  #wholes = 0;
  readonly #slices: Readonly<Record<SliceField, Subscribed>> = { namespace: subscribed(), uid: subscribed() };

  constructor(hash: SliceHash) {
    this.#hash = hash;
  }

  /** Whether every object is wanted, or nobody has asked for a slice. */
  get isWhole(): boolean {
    return this.#wholes > 0 || !this.#isSliced;
  }

  get #isSliced(): boolean {
    return this.#slices.namespace.total > 0 || this.#slices.uid.total > 0;
  }

  add(slice: Slice | undefined): void {
    this.#count(slice, 1);
  }

  remove(slice: Slice | undefined): void {
    this.#count(slice, -1);
  }

  /** The slices of an object; undefined when nobody has asked for a slice. */
  indexesOf(object: Sliced): SliceIndexes | undefined {
    return this.#isSliced ? sliceIndexesOf(this.#hash, object) : undefined;
  }

  wants(object: Sliced): boolean {
    if (this.isWhole) return true;
    const indexes = sliceIndexesOf(this.#hash, object);
    return this.#has('namespace', indexes.namespace) || this.#has('uid', indexes.uid);
  }

  /** Whether the object that starts at `at` in raw JSON is certainly not wanted; else it must be parsed and asked for. */
  isForeign(json: Uint8Array, at: number): boolean {
    return !this.isWhole && this.#isForeignBy('namespace', json, at) && this.#isForeignBy('uid', json, at);
  }

  /** Whether a raw watch line is certainly about an object that is not wanted. */
  isForeignLine(line: Uint8Array): boolean {
    if (this.isWhole) return false;
    const at = rawFrameObject(line);
    return at !== undefined && this.isForeign(line, at);
  }

  #isForeignBy(field: SliceField, json: Uint8Array, at: number): boolean {
    if (this.#slices[field].total === 0) return true;
    const index = rawSlice(json, at, { hash: this.#hash, field });
    return index !== undefined && !this.#has(field, index);
  }

  #has(field: SliceField, index: number): boolean {
    return (this.#slices[field].counts[index] ?? 0) > 0;
  }

  #count(slice: Slice | undefined, change: 1 | -1): void {
    if (slice === undefined) {
      this.#wholes += change;
      return;
    }
    const { field, index } = slice;
    const slices = this.#slices[field];
    slices.total += change;
    slices.counts[index] = (slices.counts[index] ?? 0) + change;
  }
}

/** How many subscribers each slice has. */
interface Subscribed {
  total: number;
  readonly counts: number[];
}

function subscribed(): Subscribed {
  return { total: 0, counts: Array.from({ length: SLICES }, () => 0) };
}
