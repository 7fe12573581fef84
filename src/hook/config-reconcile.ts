import type { ObjectSelection, OwnedKind, ReconcileBinding, RetryRule, WatchedKind } from './binding.ts';
import { createFilterReader, readApiVersion, type CheckFilter } from './config-kubernetes.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readLabel,
  readList,
  readName,
  readText,
  readWhole,
  readWord,
  report,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { readFieldSelector, readLabelSelector, readNameSelector, readNamespace } from './config-selector.ts';
import { readDuration } from './config-duration.ts';
import { readRetry } from './config-retry.ts';
import { ownedKey } from './reconcile-mark.ts';

/** One entry of `reconcile` as written, each field checked. */
export type ReconcileEntry = Fields<ReturnType<typeof createShape>>;

/** What happens when runs of a reconcile binding fail, unless `retry` says otherwise: each object waits by itself. */
export const RECONCILE_RETRY: RetryRule = {
  backoff: { firstMs: 1000, factor: 2, maxMs: 300_000, jitter: 0.2 },
  onExhausted: 'block',
};

const KIND_FIELDS = { kind: 'a kind such as Deployment', apiVersion: 'a version such as v1 or apps/v1' };
const ON_CHANGE = {
  Apply: 'Apply',
  Recreate: 'Recreate',
  OnDelete: 'OnDelete',
  RollingRecreate: 'RollingRecreate',
} as const;
const MAX_PARALLELISM = 100;

/** Creates the reader of one entry of `reconcile`; it checks everything that needs no other entry. */
export function createReconcileReader(checkFilter: CheckFilter): Read<ReconcileEntry> {
  const readEntry = readFields(createShape(checkFilter), { required: KIND_FIELDS });
  return (value, place) => {
    const entry = readEntry(value, place);
    checkSelection(entry, place);
    checkOwns(entry, place);
    checkWatches(entry, place);
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
    ...present({ filter: entry.jqFilter ?? entry.jsonPathFilter, resyncPeriodMs: entry.resyncPeriod || undefined }),
  };
}

function partsOf({ owns = [], watches = [] }: ReconcileEntry): Pick<ReconcileBinding, 'owns' | 'watches'> {
  return {
    owns: owns.map(toOwnedKind).filter((owned) => owned !== undefined),
    watches: watches.map(toWatchedKind).filter((watched) => watched !== undefined),
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

/** Reports names that another binding of the hook has too: a context is told apart by the name of its binding. */
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
    retry: readRetry,
  };
}

function selectionShape(checkFilter: CheckFilter) {
  return {
    kind: readExactKind,
    apiVersion: readApiVersion,
    nameSelector: readNameSelector,
    labelSelector: readLabelSelector,
    fieldSelector: readFieldSelector,
    namespace: readNamespace,
    ...filterShape(checkFilter),
  };
}

function filterShape(checkFilter: CheckFilter) {
  return {
    jqFilter: createFilterReader('jq', checkFilter),
    jsonPathFilter: createFilterReader('jsonPath', checkFilter),
  };
}

/** The kind as objects have it: children are told apart by it. */
const readExactKind: Read<string> = (value, place) => {
  const kind = readName(value, place);
  if (kind === undefined || /^[A-Z][A-Za-z0-9]*$/.test(kind)) return kind;
  return reportValue(place, value, 'a kind as objects have it, such as Deployment');
};

type OwnedEntry = Fields<ReturnType<typeof ownedShape>>;

function ownedShape(checkFilter: CheckFilter) {
  return {
    kind: readExactKind,
    apiVersion: readApiVersion,
    onChange: readWord(ON_CHANGE),
    otherNamespaces: readFlag,
    keepFullObjectsInMemory: readFlag,
    ...filterShape(checkFilter),
  };
}

function createOwnedReader(checkFilter: CheckFilter): Read<OwnedEntry> {
  const readEntry = readFields(ownedShape(checkFilter), { required: KIND_FIELDS });
  return (value, place) => {
    const entry = readEntry(value, place);
    checkFilters(entry, place);
    return entry;
  };
}

type WatchedEntry = Fields<ReturnType<typeof watchedShape>>;

function watchedShape(checkFilter: CheckFilter) {
  return {
    name: readLabel,
    ...selectionShape(checkFilter),
    for: createFilterReader('jq', checkFilter),
    keepFullObjectsInMemory: readFlag,
  };
}

function createWatchedReader(checkFilter: CheckFilter): Read<WatchedEntry> {
  const readEntry = readFields(watchedShape(checkFilter), {
    required: {
      name: 'a name for `watched`',
      ...KIND_FIELDS,
      for: 'a jq filter to the names of the objects it is for',
    },
  });
  return (value, place) => {
    const entry = readEntry(value, place);
    checkSelection(entry, place);
    return entry;
  };
}

type FilterFields = Pick<OwnedEntry, 'jqFilter' | 'jsonPathFilter'>;
type SelectionFields = Pick<WatchedEntry, keyof ReturnType<typeof selectionShape>>;

function checkFilters({ jqFilter, jsonPathFilter }: FilterFields, place: Place): void {
  if (jqFilter === undefined || jsonPathFilter === undefined) return;
  report(inside(place, 'jsonPathFilter'), 'jqFilter and jsonPathFilter are mutually exclusive');
}

function checkSelection(entry: SelectionFields, place: Place): void {
  checkFilters(entry, place);
  if (entry.nameSelector === undefined || !entry.fieldSelector?.some(({ field }) => field === 'metadata.name')) return;
  const message = "fieldSelector 'metadata.name' and nameSelector.matchNames are mutually exclusive";
  report(inside(place, 'fieldSelector'), message);
}

function checkOwns(entry: ReconcileEntry, place: Place): void {
  const known = new Set<string>();
  for (const [index, owned] of (entry.owns ?? []).entries()) {
    const key = keyOf(owned);
    const kindPlace = inside(inside(inside(place, 'owns'), index), 'kind');
    if (key === undefined) continue;
    if (known.has(key)) report(kindPlace, `${key} is in the list already, expected each kind once`);
    known.add(key);
  }
}

function checkWatches({ watches = [] }: ReconcileEntry, place: Place): void {
  const known = new Set<string>();
  for (const [index, { name }] of watches.entries()) {
    if (name === undefined) continue;
    const element = inside(inside(inside(place, 'watches'), index), 'name');
    if (known.has(name)) reportValue(element, name, 'a name that no other entry of watches has');
    known.add(name);
  }
}

function keyOf({ kind, apiVersion }: Pick<OwnedEntry, 'kind' | 'apiVersion'>): string | undefined {
  return kind === undefined || apiVersion === undefined ? undefined : ownedKey({ kind, apiVersion });
}

function selectionOf(entry: SelectionFields): ObjectSelection | undefined {
  if (entry.kind === undefined || entry.apiVersion === undefined) return undefined;
  const { nameSelector: names, labelSelector, fieldSelector, namespace } = entry;
  return {
    kind: entry.kind,
    apiVersion: entry.apiVersion,
    ...present({ names, labelSelector, fieldSelector, namespace }),
  };
}

function toOwnedKind(entry: OwnedEntry): OwnedKind | undefined {
  const { kind, apiVersion, onChange = 'Apply', otherNamespaces = false, keepFullObjectsInMemory = true } = entry;
  if (kind === undefined || apiVersion === undefined) return undefined;
  const filter = entry.jqFilter ?? entry.jsonPathFilter;
  return { kind, apiVersion, onChange, otherNamespaces, keepFullObjectsInMemory, ...present({ filter }) };
}

function toWatchedKind(entry: WatchedEntry): WatchedKind | undefined {
  const selection = selectionOf(entry);
  const { name, for: targets, keepFullObjectsInMemory = true } = entry;
  if (selection === undefined || name === undefined || targets === undefined) return undefined;
  const filter = entry.jqFilter ?? entry.jsonPathFilter;
  return { name, ...selection, for: targets, keepFullObjectsInMemory, ...present({ filter }) };
}
