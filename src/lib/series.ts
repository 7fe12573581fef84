/** The value of each label, by name. */
export type Labels<L extends string = string> = Readonly<Record<L, string>>;

/** The values of one label set; plain data, because there may be many. */
export type Series = ValueSeries | HistogramSeries;

interface Labelled {
  readonly labels: Labels;
  /** The labels in the Prometheus text format, without braces: `a="1",b="2"`. */
  readonly labelText: string;
}

/** The series of a counter or a gauge. */
export interface ValueSeries extends Labelled {
  readonly type: 'value';
  value: number;
}

/** The series of a histogram. */
export interface HistogramSeries extends Labelled {
  readonly type: 'histogram';
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  /** The observations of each bucket, not cumulative. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Creates a series of a counter or a gauge, starting at 0. */
export function valueSeries(labels: Labels): ValueSeries {
  return { type: 'value', labels, labelText: textOf(labels), value: 0 };
}

/** Creates an empty series of a histogram; `buckets` are upper bounds, ascending. */
export function histogramSeries(labels: Labels, buckets: readonly number[]): HistogramSeries {
  const counts = buckets.map(() => 0);
  return { type: 'histogram', labels, labelText: textOf(labels), buckets, counts, sum: 0, count: 0 };
}

/** Adds one observation to a histogram. */
export function observe(series: HistogramSeries, value: number): void {
  const { buckets, counts } = series;
  let bucket = 0;
  while (bucket < buckets.length && value > (buckets[bucket] ?? Infinity)) bucket++;
  if (bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
  series.sum += value;
  series.count += 1;
}

function textOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join();
}

// Prometheus reads a page up to the first NUL.
function escapeLabel(value: string): string {
  return value.replaceAll('\0', '\ufffd').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
