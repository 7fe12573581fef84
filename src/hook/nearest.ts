/** The candidate a misspelt word was most likely meant to be; `undefined` when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // Comparing long words takes long, and they are no slips.
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

/** How many letters must be put in, left out or changed to make `b` of `a`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [line, letter] of a.split('').entries()) {
    const next = [line + 1];
    for (const [column, other] of b.split('').entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
