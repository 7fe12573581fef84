const MAX_LENGTH = 64;

/** The name that a misspelled one is closest to; `undefined` when none is close. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const ranked = [given, ...names].every(({ length }) => length <= MAX_LENGTH)
    ? names.map((name) => ({ name, distance: distance(given.toUpperCase(), name.toUpperCase()) }))
    : [];
  const best = ranked.toSorted((a, b) => a.distance - b.distance)[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(given.length / 3)) ? best.name : undefined;
}

/** How many letters must be inserted, deleted or replaced. */
function distance(a: string, b: string): number {
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
