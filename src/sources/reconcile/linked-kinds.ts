import type { OwnedKind, ReconcileBinding, WatchedKind } from '../../hook/binding.ts';
import type { ReconcileView } from '../../hook/context-reconcile.ts';
import { ownedKey } from '../../hook/reconcile-mark.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import { comparePlaces, type Placed } from '../../kube/watch/object-index.ts';
import { placeKey } from '../kubernetes/late-views.ts';
import type { FollowedKinds, PartMonitor } from './followed-kinds.ts';
import { Links } from './links.ts';
import { MadeChildren, type MadeChild } from './made-children.ts';
import type { Parent, Parents } from './parents.ts';
import { ALL_PARENTS, isUnknown, linksOf, splitResult } from './part-filters.ts';
import { ownedPart, watchedPart, type Compile, type Part } from './parts.ts';

export interface LinkedKindsOptions {
  readonly compile: Compile;
  readonly kinds: Pick<FollowedKinds, 'follow'>;
  readonly parents: Pick<Parents, 'all' | 'get' | 'withUid'>;
  /** Something happened that matters to these parents; it reads them at once, or not at all. */
  readonly lookAt: (parents: Iterable<Parent>, reason: LinkReason) => void;
}

/** Why a linked object matters to a parent, which is also the reason of the look at it. */
export type LinkReason = 'child' | 'watched';

/** One kind of children, or what one entry of `watches` follows. */
interface LinkedKind {
  readonly kind: OwnedKind | WatchedKind;
  readonly monitor: PartMonitor;
  readonly links: Links;
  readonly made: MadeChildren;
}

/** The kinds whose objects matter to the parents of a reconcile binding: children, and what the binding watches. */
export class LinkedKinds {
  readonly #options: LinkedKindsOptions;
  /** By `Kind.group`, or `Kind` of the core group. */
  readonly #owned: ReadonlyMap<string, LinkedKind>;
  readonly #watched: ReadonlyMap<string, LinkedKind>;

  constructor(binding: ReconcileBinding, options: LinkedKindsOptions) {
    this.#options = options;
    const { compile } = options;
    this.#owned = new Map(
      binding.owns.map((kind) => [ownedKey(kind), this.#link(kind, ownedPart(binding, kind, compile), 'child')]),
    );
    this.#watched = new Map(
      binding.watches.map((kind) => [kind.name, this.#link(kind, watchedPart(binding, kind, compile), 'watched')]),
    );
  }

  /** What a run shows of the objects that matter to a parent. */
  view(parent: Parent): Pick<ReconcileView, 'owned' | 'watched'> {
    const { uid } = parent.facts;
    return {
      owned: new Map([...this.#owned].map(([name, kind]) => [name, itemsOf(kind, uid)])),
      watched: new Map([...this.#watched].map(([name, kind]) => [name, itemsOf(kind, placeKey(parent), ALL_PARENTS)])),
    };
  }

  /** The children of a parent, by its uid, as JSON in UTF-8. */
  children(uid: string): readonly Uint8Array[] {
    const items = [...this.#owned.values()].flatMap((kind) => itemsOf(kind, uid));
    return items.flatMap(({ object }) => (object === undefined ? [] : [object]));
  }

  /** How many lists of children there were so far: for `made`, read before children are made. */
  get childLists(): number {
    return [...this.#owned.values()].reduce((sum, { made }) => sum + made.lists, 0);
  }

  /**
   * Records the children that exist after a run. Those that the watch does not show yet are tracked until it does, or
   * until the next list, after which their parent is looked at again. `since` is `childLists` from before the run.
   */
  made(parent: Placed, children: readonly MadeChild[], since: number): void {
    const key = placeKey(parent);
    const unseen = children.flatMap((child) => {
      const kind = this.#owned.get(ownedKey(child)) ?? this.#owned.get(child.kind);
      return kind === undefined || kind.monitor.item(child) !== undefined ? [] : [{ kind, child }];
    });
    for (const { kind, child } of unseen) kind.made.note(placeKey(child), key);
    if (unseen.length > 0 && this.childLists > since) this.#lookAt([key], 'child');
  }

  #link(kind: LinkedKind['kind'], part: Part, reason: LinkReason): LinkedKind {
    const { kinds, parents, lookAt } = this.#options;
    const own = { kind, links: new Links(), made: new MadeChildren() };
    const monitor = kinds.follow(part, {
      seen: (item, isGone) => lookAt(this.#linkedTo(linkSeen(own, item, isGone), reason), reason),
      given: (_, items) => {
        for (const item of items) linkSeen(own, item, true);
      },
      listed: () => this.#lookAt(own.made.listed(), reason),
      // What a parent wants of the kind could not be made until now.
      returned: () => lookAt(parents.all(), reason),
    });
    return { ...own, monitor };
  }

  #lookAt(keys: Iterable<string>, reason: LinkReason): void {
    const parents = Array.from(keys, (key) => this.#options.parents.get(key));
    this.#options.lookAt(
      parents.filter((parent) => parent !== undefined),
      reason,
    );
  }

  *#linkedTo(targets: Iterable<string>, reason: LinkReason): Generator<Parent, void, void> {
    const { parents } = this.#options;
    for (const target of targets) {
      if (reason === 'watched' && target === ALL_PARENTS) yield* parents.all();
      const parent = reason === 'child' ? parents.withUid(target) : parents.get(target);
      if (parent !== undefined) yield parent;
    }
  }
}

/** Updates the links of an object; returns its targets before and after. */
function linkSeen(
  { links, made }: Pick<LinkedKind, 'links' | 'made'>,
  item: SnapshotItem,
  isGone: boolean,
): ReadonlySet<string> {
  const key = placeKey(item);
  made.seen(key);
  const { head } = splitResult(item.filterResult);
  // It stays with the parents it was for, since a hook that does not see it might drop children.
  const known = isUnknown(head) ? links.targetsOf(key) : linksOf(head);
  const targets = isGone ? [] : known;
  return new Set([...links.set(key, targets), ...targets]);
}

/** The objects that are linked to one of `targets`, as the binding shows them. */
function itemsOf({ monitor, links, kind }: LinkedKind, ...targets: readonly string[]): readonly SnapshotItem[] {
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
