import type { OwnedKind, WatchedKind } from '../../hook/binding.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import { comparePlaces, type Placed } from '../../kube/watch/object-index.ts';
import type { Monitor } from '../kubernetes/monitor.ts';
import { placeKey } from '../kubernetes/late-views.ts';
import type { Links } from './links.ts';
import type { MadeChildren } from './made-children.ts';
import { isUnknown, linksOf, splitResult } from './part-filters.ts';

/** The part of a monitor that a reconciler uses. */
export type PartMonitor = Pick<Monitor, 'run' | 'snapshot' | 'item' | 'status'>;

/** The children of one kind, or what one entry of `watches` follows. */
export interface LinkedPart {
  readonly monitor: PartMonitor;
  readonly links: Links;
  readonly made: MadeChildren;
  readonly kind: Pick<OwnedKind | WatchedKind, 'filter'>;
}

/** Updates the links of an object; returns its targets before and after. */
export function linkSeen(
  { links, made }: Omit<LinkedPart, 'monitor'>,
  item: SnapshotItem,
  isGone: boolean,
): readonly string[] {
  const key = placeKey(item);
  made.seen(key);
  const { head } = splitResult(item.filterResult);
  // It stays with the parents it was for, since a hook that does not see it might drop children.
  const known = isUnknown(head) ? links.targetsOf(key) : linksOf(head);
  const targets = isGone ? [] : known;
  return [...new Set([...links.set(key, targets), ...targets])];
}

/** The objects of a part that are linked to a parent, as the binding shows them. */
export function itemsOf({ monitor, links, kind }: LinkedPart, ...targets: readonly string[]): readonly SnapshotItem[] {
  const keys = new Set(targets.flatMap((target) => [...links.of(target)]));
  const places = Array.from(keys, placeOf).toSorted(comparePlaces);
  return places.flatMap((place): readonly SnapshotItem[] => {
    const item = monitor.item(place);
    if (item === undefined) return [];
    if (kind.filter !== undefined) return [{ ...item, filterResult: splitResult(item.filterResult).own }];
    const { filterResult: _links, ...shown } = item;
    return [shown];
  });
}

function placeOf(key: string): Placed {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
