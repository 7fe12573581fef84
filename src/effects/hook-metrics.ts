import { HookOutputError } from '../errors.ts';
import { familyPieces, type MetricType } from '../lib/exposition.ts';
import { histogramSeries, observe, valueSeries, type Series } from '../lib/series.ts';
import type { MetricOperation, ObserveOperation, ValueOperation } from './read-metric.ts';
import { costOf, oversize, SeriesBudget, type SeriesCost } from './series-budget.ts';

type SeriesOperation = ValueOperation | ObserveOperation;

/** A series that a hook reported, and the group whose next report replaces it. */
interface Reported {
  readonly family: Family;
  readonly key: string;
  readonly hook: string;
  readonly series: Series;
  readonly cost: SeriesCost;
  group: string | undefined;
}

interface Family {
  readonly name: string;
  readonly type: MetricType;
  readonly reported: Map<string, Reported>;
}

/** The part of a run's metrics that did not fit into the limits. */
export interface DroppedMetrics {
  /** The number of dropped operations. */
  readonly count: number;
  /** The series of the first one, shortened. */
  readonly series: string;
  readonly reason: string;
}

const VALUE_TYPES = { add: 'counter', set: 'gauge' } as const;
const MAX_SERIES_TEXT = 200;
const MAX_PROBLEMS = 100;

/**
 * The metrics that hooks reported. A series without a group exists until the operator ends, and `add` accumulates. Each
 * run that mentions a group replaces all series of that group, no matter which hook reported them. A new series beyond
 * the limits of `SeriesBudget` is dropped; existing series are still updated.
 */
export class HookMetrics {
  readonly #families = new Map<string, Family>();
  readonly #groups = new Map<string, Set<Reported>>();
  readonly #budget = new SeriesBudget();

  /** Throws `HookOutputError` when `apply` would change the type or the buckets of a metric. */
  check(hook: string, operations: readonly MetricOperation[]): void {
    const expired = groupsOf(operations);
    const types = new Map<string, MetricType>();
    const problems: string[] = [];
    for (const operation of operations) {
      if (operation.action === 'expire') continue;
      const { name, action } = operation;
      const wanted = typeOf(operation);
      const type = types.get(name) ?? this.#typeBesides(name, expired) ?? wanted;
      types.set(name, type);
      if (type !== wanted) problems.push(`${shortened(name)} is a ${type}, '${action}' needs a ${wanted}`);
      if (this.#hasOtherBuckets(hook, operation, expired)) {
        problems.push(`${shortened(name)} has other buckets already`);
      }
    }
    if (problems.length === 0) return;
    const shown = problems.slice(0, MAX_PROBLEMS);
    if (problems.length > MAX_PROBLEMS) shown.push(`and ${problems.length - MAX_PROBLEMS} more`);
    throw new HookOutputError(`METRICS_PATH contradicts the metrics that exist:\n  ${shown.join('\n  ')}`);
  }

  /**
   * Applies what a run wrote: first removes all series of the groups that it mentions, then applies its operations in
   * order. Returns what was dropped, if anything. Throws as `check` does, before it changes anything.
   */
  apply(hook: string, operations: readonly MetricOperation[]): DroppedMetrics | undefined {
    this.check(hook, operations);
    for (const group of groupsOf(operations)) {
      for (const reported of this.#groups.get(group) ?? []) this.#remove(reported);
    }
    let dropped: DroppedMetrics | undefined;
    for (const operation of operations) {
      if (operation.action === 'expire') continue;
      const found = this.#reported(hook, operation);
      if (typeof found !== 'string') record(found.series, operation);
      else dropped = dropped === undefined ? firstDropped(operation, found) : { ...dropped, count: dropped.count + 1 };
    }
    return dropped;
  }

  /** Removes all series that a hook reported. */
  forget(hook: string): void {
    for (const { reported } of this.#families.values()) {
      for (const one of reported.values()) if (one.hook === hook) this.#remove(one);
    }
  }

  /** All metrics in the text format of Prometheus. */
  text(): string {
    return [...this.pieces()].join('');
  }

  /** The same text in pieces. */
  *pieces(): Generator<string, void, undefined> {
    const families = [...this.#families.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, type, reported } of families) {
      const series = reported.values().map((one) => one.series);
      yield* familyPieces({ name, help: 'Reported by hooks.', type, series });
    }
  }

  /**
   * The type of the metric; `undefined` when it has no series besides those of the groups that are about to be emptied.
   */
  #typeBesides(name: string, expired: ReadonlySet<string>): MetricType | undefined {
    const family = this.#families.get(name);
    return family?.reported.values().some((one) => !isIn(one, expired)) === true ? family.type : undefined;
  }

  #hasOtherBuckets(hook: string, operation: SeriesOperation, expired: ReadonlySet<string>): boolean {
    if (operation.action !== 'observe') return false;
    const known = this.#families.get(operation.name)?.reported.get(keyOf(labelsOf(hook, operation)));
    if (known?.series.type !== 'histogram' || isIn(known, expired)) return false;
    return known.series.buckets.join() !== operation.buckets.join();
  }

  /** The series of the operation, created if there is none; or the reason why it is dropped. */
  #reported(hook: string, operation: SeriesOperation): Reported | string {
    const { name, group } = operation;
    const labels = labelsOf(hook, operation);
    const key = keyOf(labels);
    const known = this.#families.get(name)?.reported.get(key);
    if (known !== undefined) {
      this.#regroup(known, group);
      return known;
    }
    const series = operation.action === 'observe' ? histogramSeries(labels, operation.buckets) : valueSeries(labels);
    const cost = costOf(name, series);
    const refused = oversize(name, series) ?? this.#budget.take(hook, cost);
    if (refused !== undefined) return refused;
    const family = this.#families.get(name) ?? { name, type: typeOf(operation), reported: new Map<string, Reported>() };
    this.#families.set(name, family);
    const reported: Reported = { family, key, hook, series, cost, group: undefined };
    family.reported.set(key, reported);
    this.#regroup(reported, group);
    return reported;
  }

  #regroup(reported: Reported, group: string | undefined): void {
    if (reported.group === group) return;
    this.#leaveGroup(reported);
    reported.group = group;
    if (group === undefined) return;
    const members = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, members.add(reported));
  }

  #leaveGroup(reported: Reported): void {
    if (reported.group === undefined) return;
    const members = this.#groups.get(reported.group);
    members?.delete(reported);
    if (members?.size === 0) this.#groups.delete(reported.group);
  }

  #remove(reported: Reported): void {
    const { family, key, hook, cost } = reported;
    this.#leaveGroup(reported);
    family.reported.delete(key);
    if (family.reported.size === 0) this.#families.delete(family.name);
    this.#budget.giveBack(hook, cost);
  }
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

/** To Prometheus an empty label is the same as none, so it does not make a different series. */
function labelsOf(hook: string, { labels }: SeriesOperation): Readonly<Record<string, string>> {
  const pairs = Object.entries({ ...labels, hook }).filter(([, value]) => value !== '');
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(labels);
}

function firstDropped({ name, labels }: SeriesOperation, reason: string): DroppedMetrics {
  return { count: 1, series: shortened(`${name} ${JSON.stringify(labels)}`), reason };
}

function shortened(text: string): string {
  return text.length > MAX_SERIES_TEXT ? `${text.slice(0, MAX_SERIES_TEXT)}…` : text;
}

function record(series: Series, operation: SeriesOperation): void {
  const { action, value } = operation;
  if (series.type === 'histogram') observe(series, value);
  else series.value = action === 'add' ? series.value + value : value;
}
