import { messageOf } from '../../lib/message-of.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/watch/shared-watches.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';

/** What is told of the objects; nothing is before the first list is complete. */
export interface FollowedTo<T> {
  /** What is kept of an object. */
  readonly read: (object: KubeObject) => T;
  /** The first list is complete. */
  readonly onListed: () => void;
  /** An object is new or another than it was. */
  readonly onSeen: (object: T) => void;
  readonly onGone: (object: T) => void;
}

/** Follows the objects of one kind in one namespace by a watch, from its creation until `end`. */
export class FollowedObjects<T extends { readonly name: string; readonly uid: string }> implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #to: FollowedTo<T>;
  readonly #subscription: WatchSubscription;
  readonly #known = new Map<string, T>();
  #listed: T[] = [];
  #isListed = false;
  #failure: unknown;

  constructor(watches: Watches, target: WatchTarget, to: FollowedTo<T>) {
    this.#to = to;
    this.#subscription = watches.subscribe(target, this);
  }

  get all(): Iterable<T> {
    return this.#known.values();
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  /** Why the watch does not succeed, in words; undefined when it does. */
  get problem(): string | undefined {
    return this.#failure === undefined ? undefined : messageOf(this.#failure);
  }

  get(name: string): T | undefined {
    return this.#known.get(name);
  }

  end(): void {
    this.#subscription.unsubscribe();
  }

  listStarted(): void {
    this.#listed = [];
  }

  listed(_: ObjectRecord, object: KubeObject): void {
    this.#listed.push(this.#to.read(object));
  }

  listDone(gone: readonly ObjectRecord[]): void {
    this.recovered();
    for (const { name, uid } of gone) this.#remove(name, uid);
    const listed = this.#listed.splice(0);
    for (const object of listed) this.#known.set(object.name, object);
    if (this.#isListed) for (const object of listed) this.#to.onSeen(object);
    else {
      this.#isListed = true;
      this.#to.onListed();
    }
  }

  changed({ type, record, object }: StoreChange): void {
    if (type === 'Deleted') return this.#remove(record.name, record.uid);
    const seen = this.#to.read(object);
    this.#known.set(seen.name, seen);
    this.#to.onSeen(seen);
  }

  failed(error: unknown): void {
    this.#failure = error;
  }

  recovered(): void {
    this.#failure = undefined;
  }

  #remove(name: string, uid: string): void {
    const known = this.#known.get(name);
    if (known?.uid !== uid) return;
    this.#known.delete(name);
    this.#to.onGone(known);
  }
}
