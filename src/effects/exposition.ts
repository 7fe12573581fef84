export type MetricType = 'counter' | 'gauge' | 'histogram';

/** All series of one name. */
export interface MetricFamily {
  readonly name: string;
  readonly type: MetricType;
  readonly series: Map<string, Series>;
}

export type Series = ValueSeries | HistogramSeries;

interface CommonSeries {
  readonly labels: Readonly<Record<string, string>>;
  group: string | undefined;
}

interface ValueSeries extends CommonSeries {
  readonly type: 'counter' | 'gauge';
  value: number;
}

interface HistogramSeries extends CommonSeries {
  readonly type: 'histogram';
  readonly buckets: readonly number[];
  /** Observations of each bucket alone. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** One family in the text format of Prometheus; all its series get the same label names, empty where they have none. */
export function familyText({ name, type, series }: MetricFamily): string {
  const all = [...series.values()];
  const labelNames = [...new Set(all.flatMap(({ labels }) => Object.keys(labels)))].toSorted();
  const lines = all.flatMap((one) => seriesLines(name, one, labelNames));
  return `# HELP ${name} Reported by hooks.\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
}

function seriesLines(name: string, series: Series, labelNames: readonly string[]): readonly string[] {
  const pairs = labelNames.map((label) => `${label}="${escapeLabel(series.labels[label] ?? '')}"`);
  if (series.type !== 'histogram') return [`${name}{${pairs.join(',')}} ${series.value}`];
  let below = 0;
  const buckets = series.buckets.map((bound, index) => {
    below += series.counts[index] ?? 0;
    return `${name}_bucket{${[...pairs, `le="${bound}"`].join(',')}} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket{${[...pairs, 'le="+Inf"'].join(',')}} ${series.count}`,
    `${name}_sum{${pairs.join(',')}} ${series.sum}`,
    `${name}_count{${pairs.join(',')}} ${series.count}`,
  ];
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
