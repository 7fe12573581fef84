import type { ResourceKind } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import type { WatchSubscriber } from '../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../kube/watch/store.ts';

/** What the watch of one object saw last. */
export type SeenObject<T> =
  | { readonly type: 'unknown' }
  | { readonly type: 'missing' }
  | { readonly type: 'found'; readonly object: T };

export interface FollowedPlace<T> {
  /** Cluster-scoped. */
  readonly kind: ResourceKind;
  readonly name: string;
  /** What is kept of the object. */
  readonly read: (value: KubeObject['value']) => T;
}

/** Follows one cluster-scoped object by a watch, from its creation until `end`. */
export class FollowedObject<T extends { readonly uid: string }> implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #read: FollowedPlace<T>['read'];
  readonly #onChange: () => void;
  readonly #subscription: WatchSubscription;
  #seen: SeenObject<T> = { type: 'unknown' };
  #failure: unknown;

  constructor(watches: Watches, { kind, name, read }: FollowedPlace<T>, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
    // The name as field selector: a ClusterRole with `resourceNames` allows this list and watch.
    this.#subscription = watches.subscribe({ kind, fieldSelector: `metadata.name=${name}` }, this);
  }

  get seen(): SeenObject<T> {
    return this.#seen;
  }

  /** Why the watch does not succeed; undefined when it does. */
  get failure(): unknown {
    return this.#failure;
  }

  end(): void {
    this.#subscription.unsubscribe();
  }

  /** The answer to a write; a watch would bring it too. */
  written(value: KubeObject['value']): void {
    this.#seen = { type: 'found', object: this.#read(value) };
  }

  listStarted(): void {}

  listed(_: ObjectRecord, object: KubeObject): void {
    this.#see(object);
  }

  listDone(gone: readonly ObjectRecord[]): void {
    if (this.#seen.type === 'unknown' || gone.some((record) => this.#is(record))) this.#seen = { type: 'missing' };
    this.#onChange();
  }

  changed({ type, record, object }: StoreChange): void {
    if (type !== 'Deleted') this.#see(object);
    else if (this.#is(record)) this.#seen = { type: 'missing' };
    this.#onChange();
  }

  failed(error: unknown): void {
    this.#failure = error;
    this.#onChange();
  }

  recovered(): void {
    this.#failure = undefined;
  }

  #see({ value }: KubeObject): void {
    this.written(value);
  }

  /** An object that was deleted and created again is another one. */
  #is({ uid }: ObjectRecord): boolean {
    return this.#seen.type === 'found' && this.#seen.object.uid === uid;
  }
}
