import { meter } from './meter.ts';

/** Compares by code point; JavaScript's own comparison goes by UTF-16 unit. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) {
      meter().spend(index >>> 4);
      return codeUnitWeight(a) - codeUnitWeight(b);
    }
  }
  meter().spend(length >>> 4);
  return left.length - right.length;
}

// A surrogate is half of a character above U+FFFF, so it sorts after the private-use and compatibility area.
function codeUnitWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
