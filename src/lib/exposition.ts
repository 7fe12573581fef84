import type { Series } from './series.ts';

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** All series of one name. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly labelNames: readonly string[];
  readonly series: Iterable<Series>;
}

/** One family in the text format of Prometheus; all its series get the same label names, empty where they have none. */
export function familyText({ name, help, type, labelNames, series }: MetricFamily): string {
  const lines = Array.from(series, (one) => seriesLines(name, one, labelNames)).flat();
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

function seriesLines(name: string, series: Series, labelNames: readonly string[]): readonly string[] {
  const pairs = labelNames.map((label) => `${label}="${escapeLabel(series.labels[label] ?? '')}"`);
  if (series.type === 'value') return [`${name}${braced(pairs)} ${numberText(series.value)}`];
  let below = 0;
  const buckets = series.buckets.map((bound, index) => {
    below += series.counts[index] ?? 0;
    return `${name}_bucket${braced([...pairs, `le="${bound}"`])} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket${braced([...pairs, 'le="+Inf"'])} ${series.count}`,
    `${name}_sum${braced(pairs)} ${numberText(series.sum)}`,
    `${name}_count${braced(pairs)} ${series.count}`,
  ];
}

function numberText(value: number): string {
  if (Math.abs(value) !== Infinity) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function braced(pairs: readonly string[]): string {
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
