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
  /** Sets of labels above this have one series together, in a gauge none. */
  readonly maxSeries: number;
  /** Called when a series above `maxSeries` is asked for. */
  readonly onOverflow?: () => void;
}

/** The value of every label of the series that stands for all above the limit. */
const OTHER = '(other)';
const MAX_LABEL = 256;

/** All series of one name. */
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

  /** The series of these labels, from 0 where there was none; who writes it often keeps it. */
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
    // What several set, one after the other, would mean nothing: a gauge is not shown.
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
