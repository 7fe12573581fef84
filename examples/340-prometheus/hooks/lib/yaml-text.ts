/** JSON with a line for each entry of the topmost lists: valid YAML, short, and readable as a difference. */
export function stringify(value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([key, entry]) =>
    Array.isArray(entry)
      ? `${JSON.stringify(key)}: [${entry.map((one) => `\n  ${JSON.stringify(one)}`).join(',')}\n]`
      : `${JSON.stringify(key)}: ${JSON.stringify(entry)}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** A regular expression for exactly this text. */
export function escaped(text: string): string {
  return text.replaceAll(/[.+*?()|[\]{}^$\\]/g, String.raw`\$&`);
}

/** The same where `$` begins what is replaced. */
export function escapedReplacement(text: string): string {
  return text.replaceAll('$', '$$$$');
}
