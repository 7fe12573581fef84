import type { ReconcileBinding, RetryRule } from './binding.ts';
import type { CheckFilter } from './config-kubernetes.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readLabel,
  readList,
  readText,
  readWhole,
  readWord,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import {
  checkOwns,
  checkSelection,
  checkWatches,
  createOwnedReader,
  createWatchedReader,
  KIND_FIELDS,
  partsOf,
  selectionOf,
  selectionShape,
} from './config-reconcile-parts.ts';
import { readDuration } from './config-duration.ts';
import { readRetry } from './config-retry.ts';
import { SHARDS } from './shard.ts';

/** One entry of `reconcile` as written, each field checked. */
export type ReconcileEntry = Fields<ReturnType<typeof createShape>>;

/** What happens when runs of a reconcile binding fail, unless `retry` says otherwise: each object waits by itself. */
export const RECONCILE_RETRY: RetryRule = {
  backoff: { firstMs: 1000, factor: 2, maxMs: 300_000, jitter: 0.2 },
  onExhausted: 'block',
};

const MAX_PARALLELISM = 100;

/** Creates the reader of one entry of `reconcile`; it checks everything that needs no other entry. */
export function createReconcileReader(checkFilter: CheckFilter): Read<ReconcileEntry> {
  const readEntry = readFields(createShape(checkFilter), { required: KIND_FIELDS });
  return (value, place) => {
    const entry = readEntry(value, place);
    checkSelection(entry, place);
    checkOwns(entry.owns ?? [], inside(place, 'owns'));
    checkWatches(entry.watches ?? [], inside(place, 'watches'));
    return entry;
  };
}

/** Fills in the defaults; `undefined` for an entry without a kind. */
export function toReconcileBinding(
  entry: ReconcileEntry,
  snapshots: readonly string[],
  retry?: RetryRule,
): ReconcileBinding | undefined {
  const selection = selectionOf(entry);
  if (selection === undefined) return undefined;
  const { concurrency: parallelism = 4 } = entry;
  return {
    type: 'reconcile',
    name: reconcileName(entry),
    ...selection,
    ...partsOf(entry),
    includeSnapshotsFrom: snapshots,
    parallelism,
    finalize: entry.finalize === true,
    onHookChange: entry.onHookChange === true,
    retry: { ...RECONCILE_RETRY, ...(entry.retry ?? retry) },
    ...present({
      filter: entry.jqFilter ?? entry.jsonPathFilter,
      resyncPeriodMs: entry.resyncPeriod || undefined,
      shard: entry.shard,
    }),
  };
}

/** The name of an entry in binding contexts. */
export function reconcileName({ name = 'reconcile' }: ReconcileEntry): string {
  return name;
}

/** How many watches an entry needs. */
export function countWatches({ owns = [], watches = [] }: ReconcileEntry): number {
  return 1 + owns.length + watches.length;
}

/** Reports names that another binding of the hook has too: contexts of bindings differ by their names alone. */
export function checkReconcileNames(entries: readonly ReconcileEntry[], others: readonly string[], place: Place): void {
  const counts = Map.groupBy([...entries.map(reconcileName), ...others], (name) => name);
  for (const [index, entry] of entries.entries()) {
    if ((counts.get(reconcileName(entry))?.length ?? 0) < 2) continue;
    const expected = 'a name that no other binding of the hook has';
    reportValue(inside(inside(inside(place, 'reconcile'), index), 'name'), reconcileName(entry), expected);
  }
}

function createShape(checkFilter: CheckFilter) {
  return {
    name: readLabel,
    ...selectionShape(checkFilter),
    owns: readList(createOwnedReader(checkFilter)),
    watches: readList(createWatchedReader(checkFilter)),
    includeSnapshotsFrom: readList(readText, 1),
    concurrency: readWhole(1, MAX_PARALLELISM),
    resyncPeriod: readDuration,
    finalize: readFlag,
    onHookChange: readFlag,
    shard: readWord(SHARDS),
    retry: readRetry,
  };
}
