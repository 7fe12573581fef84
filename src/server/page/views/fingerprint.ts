const MAX_CHARS = 500;

/** The same for messages that differ in numbers, ids, times and quoted names alone. */
export function fingerprint(message: string): string {
  return message
    .slice(0, MAX_CHARS)
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replaceAll(/\b(?=[0-9a-f]*[0-9])[0-9a-f]{6,}(?:-[0-9a-f]+)*\b/gi, '…')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
