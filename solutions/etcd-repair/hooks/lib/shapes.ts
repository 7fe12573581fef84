type Fields = Readonly<Record<string, unknown>>;

/** The fields of an object; empty for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** These fields, where all of them are texts. */
export function textsOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const fields = fieldsOf(value);
  if (!names.every((name) => typeof fields[name] === 'string')) return undefined;
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Readonly<Record<Name, string>>;
}

/** A map with each value read; values that read as `undefined` are dropped. */
export function mapOf<T>(value: unknown, read: (one: unknown) => T | undefined): Readonly<Record<string, T>> {
  const entries = Object.entries(fieldsOf(value)).map(([key, one]) => [key, read(one)] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, T & {}] => entry[1] !== undefined));
}

/** The same for a list. */
export function listOf<T>(value: unknown, read: (one: unknown) => T | undefined): readonly T[] {
  return Array.isArray(value) ? value.map(read).filter((one) => one !== undefined) : [];
}

/** Whether that is how often something was, or how far something is. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A Kubernetes time, unless it is after `nowMs`: the writer's clock may have been wrong. */
export function pastOf(value: unknown, nowMs: number): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value)) return undefined;
  return Date.parse(value) <= nowMs ? value : undefined;
}
