import type { Series } from './series.ts';

/** The metric types of Prometheus that are used here. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

/** All series of one metric. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly series: Iterable<Series>;
}

/**
 * Yields one family in the Prometheus text format: first its head, then one text per series. A series has only the
 * labels that are set on it: to Prometheus an empty label is the same as a missing one.
 */
export function* familyPieces({ name, help, type, series }: MetricFamily): Generator<string, void, undefined> {
  yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const one of series) yield seriesText(name, one);
}

function seriesText(name: string, series: Series): string {
  const { labelText } = series;
  const labels = braced(labelText);
  if (series.type === 'value') return `${name}${labels} ${numberText(series.value)}\n`;
  const rest = labelText === '' ? '' : `${labelText},`;
  let below = 0;
  let text = '';
  for (const [index, bound] of series.buckets.entries()) {
    below += series.counts[index] ?? 0;
    text += `${name}_bucket{${rest}le="${bound}"} ${below}\n`;
  }
  text += `${name}_bucket{${rest}le="+Inf"} ${series.count}\n`;
  return `${text}${name}_sum${labels} ${numberText(series.sum)}\n${name}_count${labels} ${series.count}\n`;
}

function numberText(value: number): string {
  if (Math.abs(value) !== Infinity) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function braced(labelText: string): string {
  return labelText === '' ? '' : `{${labelText}}`;
}
