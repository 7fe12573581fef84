/*
 * The objects that a `reconcile` binding follows: how its parents are selected, the kinds in `owns`, and what is in
 * `watches`.
 */

import type { ObjectSelection, OwnedKind, ReconcileBinding, WatchedKind } from './binding.ts';
import { createFilterReader, readApiVersion, type CheckFilter } from './config-kubernetes.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readLabel,
  readName,
  readWord,
  report,
  reportValue,
  type Fields,
  type Place,
  type Read,
} from './config-reader.ts';
import { readFieldSelector, readLabelSelector, readNameSelector, readNamespace } from './config-selector.ts';
import { ownedKey } from './reconcile-mark.ts';

interface PartEntries {
  readonly owns?: readonly OwnedEntry[] | undefined;
  readonly watches?: readonly WatchedEntry[] | undefined;
}

/** The fields that an entry must have. */
export const KIND_FIELDS = { kind: 'a kind such as Deployment', apiVersion: 'a version such as v1 or apps/v1' };
const ON_CHANGE = {
  Apply: 'Apply',
  Recreate: 'Recreate',
  OnDelete: 'OnDelete',
  RollingRecreate: 'RollingRecreate',
} as const;

/** Fills in the defaults. */
export function partsOf({ owns = [], watches = [] }: PartEntries): Pick<ReconcileBinding, 'owns' | 'watches'> {
  return {
    owns: owns.map(toOwnedKind).filter((owned) => owned !== undefined),
    watches: watches.map(toWatchedKind).filter((watched) => watched !== undefined),
  };
}

type OwnedEntry = Fields<ReturnType<typeof ownedShape>>;

function ownedShape(checkFilter: CheckFilter) {
  return {
    kind: readExactKind,
    apiVersion: readApiVersion,
    optional: readFlag,
    onChange: readWord(ON_CHANGE),
    otherNamespaces: readFlag,
    keepFullObjectsInMemory: readFlag,
    ...filterShape(checkFilter),
  };
}

/** Creates the reader of one entry of `owns`. */
export function createOwnedReader(checkFilter: CheckFilter): Read<OwnedEntry> {
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
    optional: readFlag,
    for: createFilterReader('jq', checkFilter),
    keepFullObjectsInMemory: readFlag,
  };
}

/** Creates the reader of one entry of `watches`. */
export function createWatchedReader(checkFilter: CheckFilter): Read<WatchedEntry> {
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

/** Reports fields of a selection that exclude each other. */
export function checkSelection(entry: SelectionFields, place: Place): void {
  checkFilters(entry, place);
  if (entry.nameSelector === undefined || !entry.fieldSelector?.some(({ field }) => field === 'metadata.name')) return;
  const message = "fieldSelector 'metadata.name' and nameSelector.matchNames are mutually exclusive";
  report(inside(place, 'fieldSelector'), message);
}

/** Reports kinds that are in `owns` twice. */
export function checkOwns(owns: readonly OwnedEntry[], place: Place): void {
  const known = new Set<string>();
  for (const [index, owned] of owns.entries()) {
    const key = keyOf(owned);
    const kindPlace = inside(inside(place, index), 'kind');
    if (key === undefined) continue;
    if (known.has(key)) report(kindPlace, `${key} is in the list already, expected each kind once`);
    known.add(key);
  }
}

/** Reports names that are in `watches` twice. */
export function checkWatches(watches: readonly WatchedEntry[], place: Place): void {
  const known = new Set<string>();
  for (const [index, { name }] of watches.entries()) {
    if (name === undefined) continue;
    const element = inside(inside(place, index), 'name');
    if (known.has(name)) reportValue(element, name, 'a name that no other entry of watches has');
    known.add(name);
  }
}

function keyOf({ kind, apiVersion }: Pick<OwnedEntry, 'kind' | 'apiVersion'>): string | undefined {
  return kind === undefined || apiVersion === undefined ? undefined : ownedKey({ kind, apiVersion });
}

/** Which objects an entry selects; `undefined` for one without a kind. */
export function selectionOf(entry: SelectionFields): ObjectSelection | undefined {
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
  const isOptional = entry.optional === true || undefined;
  return { kind, apiVersion, onChange, otherNamespaces, keepFullObjectsInMemory, ...present({ filter, isOptional }) };
}

function toWatchedKind(entry: WatchedEntry): WatchedKind | undefined {
  const selection = selectionOf(entry);
  const { name, for: targets, keepFullObjectsInMemory = true } = entry;
  if (selection === undefined || name === undefined || targets === undefined) return undefined;
  const filter = entry.jqFilter ?? entry.jsonPathFilter;
  const isOptional = entry.optional === true || undefined;
  return { name, ...selection, for: targets, keepFullObjectsInMemory, ...present({ filter, isOptional }) };
}

/** The fields that select objects, and what is kept of them. */
export function selectionShape(checkFilter: CheckFilter) {
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
