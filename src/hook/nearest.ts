import { editDistance } from '../lib/edit-distance.ts';

/** The candidate that is closest to a misspelled word; `undefined` when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // Comparing long words is slow, and a long word is not a typo of a field name.
  if (word.length > MAX_LENGTH) return undefined;
  const lower = word.toLowerCase();
  const ranked = candidates
    .filter((candidate) => candidate.length <= MAX_LENGTH)
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

const MAX_LENGTH = 64;
