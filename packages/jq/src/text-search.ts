import { meter } from './meter.ts';
import { hasSurrogates } from './value.ts';

// The engine's own search may compare the whole part at every position, so it is used only for parts up to this length.
const MAX_NATIVE_PART = 32;

/**
 * Yields the offsets, in UTF-16 units, at which `part` occurs in `whole`, overlaps included. The work grows linearly
 * with the sum of the two lengths.
 */
export function* occurrences(whole: string, part: string): Generator<number, void, void> {
  if (part === '') return;
  meter().text(whole.length + part.length);
  if (part.length > MAX_NATIVE_PART) {
    yield* matchesOf(whole.length, part.length, (left, right) => {
      const unit = left < part.length ? part.charCodeAt(left) : whole.charCodeAt(left - part.length);
      return unit === part.charCodeAt(right);
    });
    return;
  }
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + 1)) {
    meter().tick();
    yield at;
  }
}

/** Whether `part` occurs in `whole`. */
export function includesText(whole: string, part: string): boolean {
  if (part.length <= MAX_NATIVE_PART) {
    meter().text(whole.length);
    return whole.includes(part);
  }
  return occurrences(whole, part).next().done !== true;
}

/** Splits `whole` at every `separator`. */
export function splitAt(whole: string, separator: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const at of occurrences(whole, separator)) {
    if (at < from) continue;
    pieces.push(whole.slice(from, at));
    from = at + separator.length;
  }
  pieces.push(whole.slice(from));
  return pieces;
}

/**
 * The Knuth-Morris-Pratt search: yields the offset of each match. `isSame` compares item `left` of the sequence "part,
 * then whole" with item `right` of the part.
 */
export function* matchesOf(
  wholeLength: number,
  partLength: number,
  isSame: (left: number, right: number) => boolean,
): Generator<number, void, void> {
  meter().places(partLength);
  // For each position of the part, the length of its longest proper prefix that ends there.
  const borders = new Uint32Array(partLength);
  const next = (place: number, matched: number): number => {
    let length = matched;
    while (length > 0 && (length === partLength || !isSame(place, length))) {
      meter().tick();
      length = borders[length - 1] ?? 0;
    }
    return isSame(place, length) ? length + 1 : length;
  };
  let matched = 0;
  for (let place = 1; place < partLength; place += 1) {
    meter().tick();
    matched = next(place, matched);
    borders[place] = matched;
  }
  matched = 0;
  for (let place = partLength; place < partLength + wholeLength; place += 1) {
    meter().tick();
    matched = next(place, matched);
    if (matched === partLength) yield place - 2 * partLength + 1;
  }
}

/**
 * Returns a function that converts UTF-16 indices of `text` to code point offsets. It counts from the previous index,
 * so any number of ascending indices costs one pass over the text.
 */
export function codePointCounter(text: string): (index: number) => number {
  meter().text(text.length);
  if (!hasSurrogates(text)) return (index) => index;
  let lastIndex = 0;
  let lastOffset = 0;
  return (index) => {
    const from = Math.min(lastIndex, index);
    const to = Math.max(lastIndex, index);
    meter().spend((to - from) >>> 2);
    let pairs = 0;
    for (let at = from; at < to; at += 1) if (isSecondHalf(text, at)) pairs += 1;
    lastOffset += index - lastIndex - (index < lastIndex ? -pairs : pairs);
    lastIndex = index;
    return lastOffset;
  };
}

/** Whether the unit at `at` is the second half of a surrogate pair. */
function isSecondHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xdc00 || unit > 0xdfff || at === 0) return false;
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff;
}
