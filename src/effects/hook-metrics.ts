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
  /** The upper bounds of a histogram: those of its first observation, for all its series. */
  readonly buckets: readonly number[];
  readonly reported: Map<string, Reported>;
}

/** The part of a run's metrics that did not fit into the limits, or contradicts metrics that exist. */
export interface DroppedMetrics {
  /** The number of dropped operations. */
  readonly count: number;
  /** The series of the first one, shortened. */
  readonly series: string;
  readonly reason: string;
}

const VALUE_TYPES = { add: 'counter', set: 'gauge' } as const;
const MAX_SERIES_TEXT = 200;

/**
 * The metrics that hooks reported. A series without a group exists until the operator ends, and `add` accumulates. Each
 * run that mentions a group replaces all series of that group, no matter which hook reported them. A new series beyond
 * the limits of `SeriesBudget` is dropped; existing series are still updated. A metric has one type and one list of
 * buckets as long as it has a series: an operation of another type is dropped, other buckets are ignored.
 */
export class HookMetrics {
  readonly #families = new Map<string, Family>();
  readonly #groups = new Map<string, Set<Reported>>();
  readonly #budget = new SeriesBudget();

  /**
   * Applies what a run wrote: first removes all series of the groups that it mentions, then applies its operations in
   * order. Returns what was dropped, if anything.
   */
  apply(hook: string, operations: readonly MetricOperation[]): DroppedMetrics | undefined {
    for (const group of groupsOf(operations)) {
      for (const reported of this.#groups.get(group) ?? []) this.#remove(reported);
    }
    let dropped: DroppedMetrics | undefined;
    for (const operation of operations) {
      if (operation.action === 'expire') {
        this.#expire(hook, operation.group);
        continue;
      }
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

  #expire(hook: string, group: string | undefined): void {
    const members = group === undefined ? this.#ungrouped(hook) : (this.#groups.get(group) ?? []);
    for (const reported of members) this.#remove(reported);
  }

  #ungrouped(hook: string): readonly Reported[] {
    const all = [...this.#families.values()].flatMap(({ reported }) => [...reported.values()]);
    return all.filter((one) => one.hook === hook && one.group === undefined);
  }

  /** The series of the operation, created if there is none; or the reason why it is dropped. */
  #reported(hook: string, operation: SeriesOperation): Reported | string {
    const { name, group } = operation;
    const family = this.#families.get(name) ?? familyOf(operation);
    if (family.type !== typeOf(operation)) {
      return `it is a ${family.type}, '${operation.action}' needs a ${typeOf(operation)}`;
    }
    const labels = labelsOf(hook, operation);
    const known = family.reported.get(keyOf(labels)) ?? this.#create(hook, family, labels);
    if (typeof known !== 'string') this.#regroup(known, group);
    return known;
  }

  #create(hook: string, family: Family, labels: Readonly<Record<string, string>>): Reported | string {
    const { name, type, buckets } = family;
    const series = type === 'histogram' ? histogramSeries(labels, buckets) : valueSeries(labels);
    const cost = costOf(name, series);
    const refused = oversize(name, series) ?? this.#budget.take(hook, cost);
    if (refused !== undefined) return refused;
    const key = keyOf(labels);
    const reported: Reported = { family, key, hook, series, cost, group: undefined };
    this.#families.set(name, family);
    family.reported.set(key, reported);
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

function familyOf(operation: SeriesOperation): Family {
  const buckets = operation.action === 'observe' ? operation.buckets : [];
  return { name: operation.name, type: typeOf(operation), buckets, reported: new Map() };
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
