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
  /** Limit of series: label sets above it share one series, or have none in a gauge. */
  readonly maxSeries: number;
  /** Called when a series above `maxSeries` is requested. */
  readonly onOverflow?: () => void;
}

/** The value of every label of the shared series above the limit. */
const OTHER = '(other)';
const MAX_LABEL = 256;

/** All series of one metric. */
class Metric<L extends string, S extends Series> implements MetricFamily {
  readonly type: MetricType;
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  readonly #byKey = new Map<string, S>();
  readonly #create: (labels: Labels) => S;
  readonly #maxSeries: number;
  readonly #onOverflow: () => void;
  #other: S | undefined;

  constructor(type: MetricType, options: MetricOptions<L>, create: (labels: Labels) => S) {
    const { name, help, labelNames, maxSeries, onOverflow = () => {} } = options;
    this.type = type;
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.#create = create;
    this.#maxSeries = maxSeries;
    this.#onOverflow = onOverflow;
  }

  get series(): Iterable<S> {
    const known = this.#byKey.values();
    return this.#other === undefined ? known : [...known, this.#other];
  }

  /** Returns the series of these labels, which starts at 0; a caller that writes it often should keep it. */
  of(labels: Labels<L>): S {
    const key = this.#keyOf(labels);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= this.#maxSeries) return this.#overflow();
    const series = this.#createWith((name) => shortened(labels[name]));
    this.#byKey.set(key, series);
    return series;
  }

  remove(labels: Labels<L>): void {
    this.#byKey.delete(this.#keyOf(labels));
  }

  clear(): void {
    this.#byKey.clear();
    this.#other = undefined;
  }

  #overflow(): S {
    this.#onOverflow();
    const other = this.#other ?? this.#createWith(() => OTHER);
    // A gauge that several label sets overwrite would be meaningless, so it is not exposed.
    if (this.type !== 'gauge') this.#other = other;
    return other;
  }

  #createWith(valueOf: (name: L) => string): S {
    return this.#create(Object.fromEntries(this.labelNames.map((name) => [name, valueOf(name)])));
  }

  #keyOf(labels: Labels<L>): string {
    let key = '';
    for (const name of this.labelNames) key += `${shortened(labels[name])}\0`;
    return key;
  }
}

function shortened(value: string): string {
  return value.length > MAX_LABEL ? `${value.slice(0, MAX_LABEL - 1)}…` : value;
}

/** A number that only grows, one per label set. */
export class Counter<L extends string> extends Metric<L, ValueSeries> {
  constructor(options: MetricOptions<L>) {
    super('counter', options, valueSeries);
  }

  inc(labels: Labels<L>, by = 1): void {
    this.of(labels).value += by;
  }
}

/** A current value, one per label set. */
export class Gauge<L extends string> extends Metric<L, ValueSeries> {
  constructor(options: MetricOptions<L>) {
    super('gauge', options, valueSeries);
  }

  set(labels: Labels<L>, value: number): void {
    this.of(labels).value = value;
  }
}

/** A distribution of values, one per label set. */
export class Histogram<L extends string> extends Metric<L, HistogramSeries> {
  /** `buckets` are upper bounds, ascending. */
  constructor(options: MetricOptions<L>, buckets: readonly number[]) {
    super('histogram', options, (labels) => histogramSeries(labels, buckets));
  }

  observe(labels: Labels<L>, value: number): void {
    observe(this.of(labels), value);
  }
}
