/**
 * Measures each subject once per round, each round beginning with another subject, so that other load on the machine
 * affects all alike. Subjects that are undefined are skipped.
 */
export async function interleaved<K extends string, T = number>(
  rounds: number,
  subjects: Readonly<Record<K, ((round: number) => Promise<T>) | undefined>>,
): Promise<Readonly<Record<K, readonly T[]>>> {
  const names = Object.keys(subjects).filter((name): name is K => name in subjects);
  const values = Object.fromEntries(names.map((name): [K, T[]] => [name, []])) as Record<K, T[]>;
  const present = names.filter((name) => subjects[name] !== undefined);
  for (let round = 0; round < rounds; round++) {
    const first = round % present.length;
    for (const name of [...present.slice(first), ...present.slice(0, first)]) {
      const value = await subjects[name]?.(round);
      if (value !== undefined) values[name].push(value);
    }
  }
  return values;
}
