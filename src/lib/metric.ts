import type { MetricFamily, MetricType } from './exposition.ts';
import {
  histogramSeries,
  observe,
  valueSeries,
  type HistogramSeries,
  type Labels,
  type Series,
  type ValueSeries,
} from './series.ts';

export interface MetricOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
}

/** All series of one name. */
class Metric<L extends string, S extends Series> implements MetricFamily {
  readonly type: MetricType;
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  readonly #byKey = new Map<string, S>();
  readonly #create: (labels: Labels<L>) => S;

  constructor(type: MetricType, { name, help, labelNames }: MetricOptions<L>, create: (labels: Labels<L>) => S) {
    this.type = type;
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.#create = create;
  }

  get series(): Iterable<S> {
    return this.#byKey.values();
  }

  /** The series of these labels, from 0 where there was none; who writes it often keeps it. */
  of(labels: Labels<L>): S {
    const key = this.#keyOf(labels);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const series = this.#create(labels);
    this.#byKey.set(key, series);
    return series;
  }

  remove(labels: Labels<L>): void {
    this.#byKey.delete(this.#keyOf(labels));
  }

  clear(): void {
    this.#byKey.clear();
  }

  #keyOf(labels: Labels<L>): string {
    let key = '';
    for (const name of this.labelNames) key += `${labels[name]}\0`;
    return key;
  }
}

/** A number that only grows, one for each set of labels. */
export class Counter<L extends string> extends Metric<L, ValueSeries> {
  constructor(options: MetricOptions<L>) {
    super('counter', options, valueSeries);
  }

  inc(labels: Labels<L>, by = 1): void {
    this.of(labels).value += by;
  }
}

/** A number that is as it is now, one for each set of labels. */
export class Gauge<L extends string> extends Metric<L, ValueSeries> {
  constructor(options: MetricOptions<L>) {
    super('gauge', options, valueSeries);
  }

  set(labels: Labels<L>, value: number): void {
    this.of(labels).value = value;
  }
}

/** How often something had which size, one distribution for each set of labels. */
export class Histogram<L extends string> extends Metric<L, HistogramSeries> {
  /** `buckets` are upper bounds, ascending. */
  constructor(options: MetricOptions<L>, buckets: readonly number[]) {
    super('histogram', options, (labels) => histogramSeries(labels, buckets));
  }

  observe(labels: Labels<L>, value: number): void {
    observe(this.of(labels), value);
  }
}
