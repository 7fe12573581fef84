import { HookOutputError } from '../errors.ts';
import { familyText, type MetricFamily, type MetricType, type Series } from './exposition.ts';
import type { MetricOperation, ObserveOperation, ValueOperation } from './read-metric.ts';

type SeriesOperation = ValueOperation | ObserveOperation;

const VALUE_TYPES = { add: 'counter', set: 'gauge' } as const;

/**
 * The metrics hooks reported. Without a group a series lives until the operator ends, and `add` accumulates. With a group
 * each run that mentions it replaces all its series, whichever hook wrote them.
 */
export class HookMetrics {
  readonly #families = new Map<string, MetricFamily>();

  /** Throws `HookOutputError` when `apply` would have to change the type or the buckets of a metric. */
  check(hook: string, operations: readonly MetricOperation[]): void {
    const expired = groupsOf(operations);
    const types = new Map<string, MetricType>();
    for (const [name, { type, series }] of this.#families) {
      if (series.values().some((one) => !isIn(one, expired))) types.set(name, type);
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
    this.#remove((series) => isIn(series, groups));
    for (const operation of operations) {
      if (operation.action !== 'expire') record(this.#series(hook, operation), operation);
    }
  }

  /** Drops everything a hook reported. */
  forget(hook: string): void {
    this.#remove((series) => series.labels['hook'] === hook);
  }

  /** All metrics in the text format of Prometheus. */
  text(): string {
    const families = [...this.#families.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return families.map(familyText).join('');
  }

  #hasOtherBuckets(hook: string, operation: SeriesOperation, expired: ReadonlySet<string>): boolean {
    if (operation.action !== 'observe') return false;
    const series = this.#families.get(operation.name)?.series.get(keyOf(hook, operation));
    if (series === undefined || series.type !== 'histogram' || isIn(series, expired)) return false;
    return series.buckets.join() !== operation.buckets.join();
  }

  #remove(isUnwanted: (series: Series) => boolean): void {
    for (const [name, { series }] of this.#families) {
      for (const [key, one] of series) if (isUnwanted(one)) series.delete(key);
      if (series.size === 0) this.#families.delete(name);
    }
  }

  #series(hook: string, operation: SeriesOperation): Series {
    const { name } = operation;
    const family = this.#families.get(name) ?? { name, type: typeOf(operation), series: new Map<string, Series>() };
    this.#families.set(name, family);
    const key = keyOf(hook, operation);
    const series = family.series.get(key) ?? newSeries(hook, operation);
    family.series.set(key, series);
    series.group = operation.group;
    return series;
  }
}

function groupsOf(operations: readonly MetricOperation[]): ReadonlySet<string> {
  return new Set(operations.flatMap(({ group }) => (group === undefined ? [] : [group])));
}

function isIn({ group }: Series, groups: ReadonlySet<string>): boolean {
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
  const common = { labels: { ...operation.labels, hook }, group: operation.group };
  if (operation.action !== 'observe') return { type: VALUE_TYPES[operation.action], ...common, value: 0 };
  const { buckets } = operation;
  return { type: 'histogram', ...common, buckets, counts: buckets.map(() => 0), sum: 0, count: 0 };
}

function record(series: Series, operation: SeriesOperation): void {
  const { value } = operation;
  if (series.type === 'histogram') {
    const bucket = series.buckets.findIndex((bound) => value <= bound);
    if (bucket !== -1) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
    series.count += 1;
  } else {
    series.value = operation.action === 'add' ? series.value + value : value;
  }
}
