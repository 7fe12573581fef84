import { HookOutputError } from '../errors.ts';
import { familyText, type MetricType } from '../lib/exposition.ts';
import { histogramSeries, observe, valueSeries, type Series } from '../lib/series.ts';
import type { MetricOperation, ObserveOperation, ValueOperation } from './read-metric.ts';

type SeriesOperation = ValueOperation | ObserveOperation;

/** A series, and the group that it is replaced with. */
interface Reported {
  readonly series: Series;
  readonly group: string | undefined;
}

interface Family {
  readonly name: string;
  readonly type: MetricType;
  readonly reported: Map<string, Reported>;
}

const VALUE_TYPES = { add: 'counter', set: 'gauge' } as const;

/**
 * The metrics hooks reported. Without a group a series lives until the operator ends, and `add` accumulates. With a group
 * each run that mentions it replaces all its series, whichever hook wrote them.
 */
export class HookMetrics {
  readonly #families = new Map<string, Family>();

  /** Throws `HookOutputError` when `apply` would have to change the type or the buckets of a metric. */
  check(hook: string, operations: readonly MetricOperation[]): void {
    const expired = groupsOf(operations);
    const types = new Map<string, MetricType>();
    for (const [name, { type, reported }] of this.#families) {
      if (reported.values().some((one) => !isIn(one, expired))) types.set(name, type);
    }
    const problems: string[] = [];
    for (const operation of operations) {
      if (operation.action === 'expire') continue;
      const wanted = typeOf(operation);
      const type = types.get(operation.name) ?? wanted;
      types.set(operation.name, type);
      if (type !== wanted) problems.push(`${operation.name} is a ${type}, '${operation.action}' needs a ${wanted}`);
      if (this.#hasOtherBuckets(hook, operation, expired)) problems.push(`${operation.name} has other buckets already`);
    }
    if (problems.length === 0) return;
    throw new HookOutputError(`METRICS_PATH does not fit the metrics there are:\n  ${problems.join('\n  ')}`);
  }

  /** Takes over what a run wrote: first the groups it mentions are emptied, then its operations count, in order. */
  apply(hook: string, operations: readonly MetricOperation[]): void {
    this.check(hook, operations);
    const groups = groupsOf(operations);
    this.#remove((one) => isIn(one, groups));
    for (const operation of operations) {
      if (operation.action !== 'expire') record(this.#series(hook, operation), operation);
    }
  }

  /** Drops everything a hook reported. */
  forget(hook: string): void {
    this.#remove(({ series }) => series.labels['hook'] === hook);
  }

  /** All metrics in the text format of Prometheus. */
  text(): string {
    const families = [...this.#families.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return families.map(textOf).join('');
  }

  #hasOtherBuckets(hook: string, operation: SeriesOperation, expired: ReadonlySet<string>): boolean {
    if (operation.action !== 'observe') return false;
    const known = this.#families.get(operation.name)?.reported.get(keyOf(hook, operation));
    if (known?.series.type !== 'histogram' || isIn(known, expired)) return false;
    return known.series.buckets.join() !== operation.buckets.join();
  }

  #remove(isUnwanted: (reported: Reported) => boolean): void {
    for (const [name, { reported }] of this.#families) {
      for (const [key, one] of reported) if (isUnwanted(one)) reported.delete(key);
      if (reported.size === 0) this.#families.delete(name);
    }
  }

  #series(hook: string, operation: SeriesOperation): Series {
    const { name, group } = operation;
    const family = this.#families.get(name) ?? { name, type: typeOf(operation), reported: new Map<string, Reported>() };
    this.#families.set(name, family);
    const key = keyOf(hook, operation);
    const { series } = family.reported.get(key) ?? { series: newSeries(hook, operation) };
    family.reported.set(key, { series, group });
    return series;
  }
}

function textOf({ name, type, reported }: Family): string {
  const series = reported
    .values()
    .map((one) => one.series)
    .toArray();
  const labelNames = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].toSorted();
  return familyText({ name, help: 'Reported by hooks.', type, labelNames, series });
}

function groupsOf(operations: readonly MetricOperation[]): ReadonlySet<string> {
  return new Set(operations.flatMap(({ group }) => (group === undefined ? [] : [group])));
}

function isIn({ group }: Reported, groups: ReadonlySet<string>): boolean {
  return group !== undefined && groups.has(group);
}

function typeOf({ action }: SeriesOperation): MetricType {
  return action === 'observe' ? 'histogram' : VALUE_TYPES[action];
}

/** An empty label means the same as none, so it does not make another series. */
function keyOf(hook: string, { labels }: SeriesOperation): string {
  const pairs = Object.entries({ ...labels, hook }).filter(([, value]) => value !== '');
  return JSON.stringify(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function newSeries(hook: string, operation: SeriesOperation): Series {
  const labels = { ...operation.labels, hook };
  return operation.action === 'observe' ? histogramSeries(labels, operation.buckets) : valueSeries(labels);
}

function record(series: Series, operation: SeriesOperation): void {
  const { action, value } = operation;
  if (series.type === 'histogram') observe(series, value);
  else series.value = action === 'add' ? series.value + value : value;
}
