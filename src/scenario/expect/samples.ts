/** One line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** The samples of a text that hooklet itself wrote; comments are left out. */
export function samplesOf(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, inner = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const labels = [...inner.matchAll(LABEL)].map(([, key = '', quoted = '']) => [key, unescaped(quoted)] as const);
    return [{ name, labels: Object.fromEntries(labels), value: numberOf(value) }];
  });
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}
