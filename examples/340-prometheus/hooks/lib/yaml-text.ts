/** JSON with a line for each entry of the topmost lists: valid YAML, short, and readable as a difference. */
export function stringify(value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([key, entry]) =>
    Array.isArray(entry)
      ? `${JSON.stringify(key)}: [${entry.map((one) => `\n  ${JSON.stringify(one)}`).join(',')}\n]`
      : `${JSON.stringify(key)}: ${JSON.stringify(entry)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}
