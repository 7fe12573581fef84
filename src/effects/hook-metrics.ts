import { HookOutputError } from '../errors.ts';
import { familyPieces, type MetricType } from '../lib/exposition.ts';
import { histogramSeries, observe, valueSeries, type Series } from '../lib/series.ts';
import type { MetricOperation, ObserveOperation, ValueOperation } from './read-metric.ts';
import { costOf, oversize, SeriesBudget, type SeriesCost } from './series-budget.ts';

type SeriesOperation = ValueOperation | ObserveOperation;

/** A series, where it is, and the group that it is replaced with. */
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

/** What was left out of what a run wrote. */
export interface DroppedMetrics {
  /** Operations, of one series or of many. */
  readonly count: number;
  /** The first of these series, shortened. */
  readonly series: string;
  readonly reason: string;
}

const VALUE_TYPES = { add: 'counter', set: 'gauge' } as const;
const MAX_TOLD = 200;
const MAX_PROBLEMS = 100;

/**
 * The metrics hooks reported. Without a group a series lives until the operator ends, and `add` accumulates. With a group
 * each run that mentions it replaces all its series, whichever hook wrote them. What goes beyond the limits of
 * `SeriesBudget` is left out; what is there already counts on.
 */
export class HookMetrics {
  readonly #families = new Map<string, Family>();
  readonly #groups = new Map<string, Set<Reported>>();
  readonly #budget = new SeriesBudget();

  /** Throws `HookOutputError` when `apply` would have to change the type or the buckets of a metric. */
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
    throw new HookOutputError(`METRICS_PATH does not fit the metrics there are:\n  ${shown.join('\n  ')}`);
  }

  /**
   * Takes over what a run wrote: first the groups it mentions are emptied, then its operations count, in order. Returns
   * what there was no room for.
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

  /** Drops everything a hook reported. */
  forget(hook: string): void {
    for (const { reported } of this.#families.values()) {
      for (const one of reported.values()) if (one.hook === hook) this.#remove(one);
    }
  }

  /** All metrics in the text format of Prometheus. */
  text(): string {
    return [...this.pieces()].join('');
  }

  /** The same, piece by piece. */
  *pieces(): Generator<string, void, undefined> {
    const families = [...this.#families.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, type, reported } of families) {
      const series = reported.values().map((one) => one.series);
      yield* familyPieces({ name, help: 'Reported by hooks.', type, series });
    }
  }

  /** The type of the name, but for series that are about to expire. */
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

  /** The series of the operation, made where there is none; why there is no room for it. */
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

/** An empty label means the same as none, so it does not make another series. */
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
  return text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}…` : text;
}

function record(series: Series, operation: SeriesOperation): void {
  const { action, value } = operation;
  if (series.type === 'histogram') observe(series, value);
  else series.value = action === 'add' ? series.value + value : value;
}
