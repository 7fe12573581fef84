import { UsageError } from '../../errors.ts';
import { compileFilter } from '../../filter/filter.ts';
import type { Filter, OwnedKind, ReconcileBinding, WatchedKind } from '../../hook/binding.ts';
import type { ReconcileView } from '../../hook/context-reconcile.ts';
import { readKeptState } from '../../hook/kept-state.ts';
import { MARK_LABEL, ownedKey, PARENT_LABEL, reconcileMark } from '../../hook/reconcile-mark.ts';
import type { Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import { comparePlaces } from '../../kube/watch/object-index.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import { ALL_PARENTS, linksOf, splitResult, watchedFilter } from '../../sources/reconcile/part-filters.ts';
import { excludedBy } from './match.ts';
import { objectName, type GivenObject } from './object.ts';

/** What a Reconcile context is made of, without a cluster. */
export interface ReconcileGiven {
  readonly parent: GivenObject;
  /** Objects of the cluster: those that the marks of the binding are on are its children. */
  readonly others: readonly GivenObject[];
  /** The children; of those with a uid only what has the marks. */
  readonly owned: readonly GivenObject[];
  /** By the name of the entry of `watches`. */
  readonly watched: ReadonlyMap<string, readonly GivenObject[]>;
  readonly isFinalizing: boolean;
}

export interface MadeView {
  readonly view: ReconcileView;
  /** The children. */
  readonly children: readonly GivenObject[];
  readonly warnings: readonly string[];
}

/** Chooses the children of the parent and the watched objects that matter to it, and shows them as the operator would. */
export function reconcileView(binding: ReconcileBinding, given: ReconcileGiven): MadeView {
  const { parent, others, watched, isFinalizing } = given;
  checkGiven(binding, given);
  const warnings: string[] = [];
  const owned = given.owned.map((object) => placed(object, parent));
  const children = [
    ...others.filter((object) => isMarked(object, binding, parent)),
    ...owned.filter((object) => {
      const isChild = isMarked(object, binding, parent) || !isFromCluster(object);
      if (!isChild) warnings.push(`${objectName(object)} is no child of ${objectName(parent)}: it has not its labels`);
      return isChild;
    }),
  ];
  const isKind = (rule: OwnedKind | WatchedKind) => (object: GivenObject) => ownedKey(object) === ownedKey(rule);
  const ownedParts = binding.owns.map((rule) => {
    const items = children.filter(isKind(rule)).map((object) => itemOf(object, rule.filter, warnings));
    return [ownedKey(rule), items.toSorted(comparePlaces)] as const;
  });
  const watchedParts = binding.watches.map((rule) => {
    const candidates = [...others, ...(watched.get(rule.name) ?? [])].filter(isKind(rule));
    return [rule.name, watchedItems(rule, candidates, { parent, warnings })] as const;
  });
  const object = Buffer.from(JSON.stringify(parent.value));
  const view = {
    object,
    owned: new Map(ownedParts),
    watched: new Map(watchedParts),
    isFinalizing,
    state: readKeptState(binding, object),
  };
  if (view.state.problem !== undefined) warnings.push(`${objectName(parent)}: ${view.state.problem}`);
  return { view, children, warnings };
}

/** Throws `UsageError` for objects that the binding neither owns nor watches. */
function checkGiven(binding: ReconcileBinding, { owned, watched }: ReconcileGiven): void {
  const kinds = new Set(binding.owns.map(ownedKey));
  const foreign = owned.filter((object) => !kinds.has(ownedKey(object))).slice(0, MAX_SHOWN);
  if (foreign.length > 0) {
    const has = kinds.size === 0 ? 'is empty' : `has ${[...kinds].join(', ')}`;
    throw new UsageError(`--owned: ${foreign.map(objectName).join(', ')}: owns of ${binding.name} ${has}`);
  }
  const names = binding.watches.map(({ name }) => name);
  const unknown = [...watched.keys()].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const has = names.length === 0 ? 'is empty' : `has ${names.join(', ')}`;
  throw new UsageError(`--watched: got ${shown(unknown)}: watches of ${binding.name} ${has}`);
}

const MAX_SHOWN = 5;

/** A child of a custom kind is in the namespace of its parent unless it says otherwise. */
function placed(object: GivenObject, { namespace }: GivenObject): GivenObject {
  if (object.namespace !== '' || object.builtIn !== undefined || namespace === '') return object;
  const { value } = object;
  return { ...object, namespace, value: { ...value, metadata: { ...metadataOf(value), namespace } } };
}

/** Whether the object came from a cluster, and so has the marks of its binding if it is a child. */
function isFromCluster({ value }: GivenObject): boolean {
  return uidOf(value) !== '';
}

function isMarked(object: GivenObject, binding: ReconcileBinding, parent: GivenObject): boolean {
  const { labels } = object;
  if (labels[MARK_LABEL] !== reconcileMark(binding)) return false;
  const uid = uidOf(parent.value);
  if (uid !== '') return labels[PARENT_LABEL] === uid;
  const owners = metadataOf(object.value)['ownerReferences'];
  if (!Array.isArray(owners) || owners.length === 0) return true;
  return owners.some((owner: unknown) => isObject(owner) && owner['name'] === parent.name);
}

function itemOf(object: GivenObject, filter: Filter | undefined, warnings: string[]): SnapshotItem {
  const { namespace, name, value } = object;
  const item = { namespace, name, object: Buffer.from(JSON.stringify(value)) };
  if (filter === undefined) return item;
  const { result: filterResult, error: filterError } = compileFilter(filter).apply(value);
  if (filterError === undefined) return { ...item, filterResult };
  warnings.push(`the filter failed on ${objectName(object)}: ${filterError}`);
  return { ...item, filterResult, filterError };
}

interface Matter {
  readonly parent: GivenObject;
  readonly warnings: string[];
}

/** The objects of an entry of `watches` that matter to the parent by `for`. */
function watchedItems(rule: WatchedKind, objects: readonly GivenObject[], { parent, warnings }: Matter): Snapshot {
  const chosen = objects.filter((object) => {
    const reason = excludedBy(rule, object) ?? unlinked(rule, object, parent);
    if (reason !== undefined) warnings.push(`watched ${rule.name}: ${objectName(object)} is left out by ${reason}`);
    return reason === undefined;
  });
  return chosen.map((object) => itemOf(object, rule.filter, warnings)).toSorted(comparePlaces);
}

/** Why the object does not matter to the parent; undefined when it does. */
function unlinked(rule: WatchedKind, { namespace, value }: GivenObject, parent: GivenObject): string | undefined {
  const targets = compileFilter(rule.for);
  const links = watchedFilter({ apply: (input) => targets.apply(input.value) }, undefined);
  const input = { value, namespace, uid: '', resourceVersion: '', json: () => Buffer.from(JSON.stringify(value)) };
  const outcome = links.apply(input);
  // A filter that runs to its end in this process returns no promise.
  if (outcome instanceof Promise) return 'for';
  if (outcome.error !== undefined) return outcome.error;
  const keys = linksOf(splitResult(outcome.result).head);
  return keys.includes(ALL_PARENTS) || keys.includes(`${parent.namespace}/${parent.name}`) ? undefined : 'for';
}

function uidOf(value: GivenObject['value']): string {
  const { uid } = metadataOf(value);
  return typeof uid === 'string' ? uid : '';
}

function metadataOf(value: GivenObject['value']): Readonly<Record<string, unknown>> {
  return isObject(value['metadata']) ? value['metadata'] : {};
}
