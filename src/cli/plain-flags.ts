/** Flags by the parser's names, as they were given. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Reads flags where each is in `known` and given in full, as `--name value` or `--name=value`; undefined for whatever
 * else was written: what to make of that, or to say of it, is for the parser, which takes longer to load than to start a
 * hook. `known` has them as `--help` prints them: `--hooks-dir <dir>`.
 */
export function plainFlags(argv: readonly string[], known: readonly string[]): Flags | undefined {
  const takesValue = new Map(known.map((flag) => [nameOf(flag), flag.includes(' ')]));
  const flags: Record<string, string | boolean> = {};
  const words = argv.values();
  for (const word of words) {
    const [name = '', given] = word.split(/=(.*)/s, 2);
    const value = takesValue.get(name) === true ? plainValue(given ?? words.next().value) : given === undefined;
    if (!takesValue.has(name) || value === undefined || value === false) return undefined;
    flags[attributeName(name)] = value;
  }
  return flags;
}

/** What begins with a dash may be another flag, that the value was forgotten before. */
function plainValue(text: string | undefined): string | undefined {
  return text?.startsWith('-') === true ? undefined : text;
}

/** `hooksDir` for `--hooks-dir <dir>`, as the parser has it. */
export function attributeName(flag: string): string {
  return nameOf(flag)
    .replace(/^--/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function nameOf(flag: string): string {
  return flag.split(' ', 1)[0] ?? flag;
}
