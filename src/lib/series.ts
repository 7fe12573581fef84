export type Labels<L extends string = string> = Readonly<Record<L, string>>;

/** What is known under one set of labels; plain data, as there may be many of them. */
export type Series = ValueSeries | HistogramSeries;

export interface ValueSeries {
  readonly type: 'value';
  readonly labels: Labels;
  value: number;
}

export interface HistogramSeries {
  readonly type: 'histogram';
  readonly labels: Labels;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  /** Observations of each bucket alone. */
  readonly counts: number[];
  sum: number;
  count: number;
}

export function valueSeries(labels: Labels): ValueSeries {
  return { type: 'value', labels, value: 0 };
}

export function histogramSeries(labels: Labels, buckets: readonly number[]): HistogramSeries {
  return { type: 'histogram', labels, buckets, counts: buckets.map(() => 0), sum: 0, count: 0 };
}

export function observe(series: HistogramSeries, value: number): void {
  const { buckets, counts } = series;
  let bucket = 0;
  while (bucket < buckets.length && value > (buckets[bucket] ?? Infinity)) bucket++;
  if (bucket < counts.length) counts[bucket] = (counts[bucket] ?? 0) + 1;
  series.sum += value;
  series.count += 1;
}
