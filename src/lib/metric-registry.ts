import { familyPieces, type MetricFamily } from './exposition.ts';
import { Counter, Gauge, Histogram, type MetricOptions } from './metric.ts';

/** Limit of the series of a histogram, which has about 17 lines for each; all further label sets share one series. */
const MAX_HISTOGRAM_SERIES = 300;
/**
 * Limit of the series of a counter or gauge; further label sets of a counter share one series, those of a gauge have
 * none.
 */
const MAX_VALUE_SERIES = 5000;

/** All series of one name, and the names of their labels. */
export interface Family extends MetricFamily {
  readonly labelNames: readonly string[];
}

export type MetricRegistry = ReturnType<typeof metricRegistry>;

/** Declares metrics whose names begin with `prefix`, bounds their series, and writes all of them as text. */
export function metricRegistry(prefix: string) {
  const declared: Family[] = [];
  const beforeRead = new Set<() => void>();
  const overflows = new Counter({
    name: `${prefix}metric_series_overflows_total`,
    help: 'How often a value was recorded for a series beyond the limit of its metric.',
    labelNames: ['metric'],
    maxSeries: MAX_VALUE_SERIES,
  });
  const families = (): readonly Family[] => [...declared, overflows];
  const add = <M extends Family>(metric: M): M => {
    declared.push(metric);
    return metric;
  };
  const options = <L extends string>(name: string, help: string, labelNames: readonly L[]): MetricOptions<L> => ({
    name: `${prefix}${name}`,
    help,
    labelNames,
    maxSeries: MAX_VALUE_SERIES,
    onOverflow: () => overflows.inc({ metric: `${prefix}${name}` }),
  });
  return {
    counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      add(new Counter(options(name, help, labelNames))),
    gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      add(new Gauge(options(name, help, labelNames))),
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: readonly number[]) =>
      add(new Histogram({ ...options(name, help, labelNames), maxSeries: MAX_HISTOGRAM_SERIES }, buckets)),
    families,
    /** Counts the label sets that exceeded the limit of their metric, by its name. */
    overflows,
    /** Functions that are called before each reading. */
    beforeRead,
    /** All metrics in the text format of Prometheus, in pieces. */
    *pieces(): Generator<string, void, undefined> {
      for (const update of beforeRead) update();
      for (const family of families()) yield* familyPieces(family);
    },
  };
}
