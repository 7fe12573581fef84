import { familyPieces, type MetricFamily } from './exposition.ts';
import { Counter, Gauge, Histogram, type MetricOptions } from './metric.ts';
import type { Labels, Series } from './series.ts';

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

interface Declared extends Family {
  of(labels: Labels): Series;
}

export type MetricRegistry = ReturnType<typeof metricRegistry>;

/**
 * Declares metrics whose names begin with `prefix`, bounds their series, and writes all of them as text. A metric
 * without labels starts at 0.
 */
export function metricRegistry(prefix: string) {
  const declared: Declared[] = [];
  const beforeRead = new Set<() => void>();
  const overflows = new Counter({
    name: `${prefix}metric_series_overflows_total`,
    help: 'How often a value was recorded for a series beyond the limit of its metric.',
    labelNames: ['metric'],
    maxSeries: MAX_VALUE_SERIES,
  });
  const families = (): readonly Family[] => [...declared, overflows];
  const add = <M extends Declared>(metric: M): M => {
    declared.push(metric);
    if (metric.labelNames.length === 0) metric.of({});
    return metric;
  };
  const options = <L extends string>(name: string, help: string, labelNames: readonly L[]): MetricOptions<L> => ({
    name,
    help,
    labelNames,
    maxSeries: MAX_VALUE_SERIES,
    onOverflow: () => overflows.inc({ metric: name }),
  });
  const declarations = (first: string) => ({
    counter: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      add(new Counter(options(`${first}${name}`, help, labelNames))),
    gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      add(new Gauge(options(`${first}${name}`, help, labelNames))),
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets: readonly number[]) =>
      add(new Histogram({ ...options(`${first}${name}`, help, labelNames), maxSeries: MAX_HISTOGRAM_SERIES }, buckets)),
  });
  return {
    ...declarations(prefix),
    prefix,
    /** Declares metrics whose names begin otherwise. */
    beginningWith: declarations,
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
