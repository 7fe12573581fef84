import type { LabelSelector } from '../../hook/selector.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';
import { labelSelectorText } from './targets.ts';

/** Receives what `MatchingNamespaces` reports. */
export interface NamespacesListener {
  /** The names may have changed. Called after each list too, also when it changed nothing. */
  changed(): void;
  failed(error: unknown): void;
  recovered(): void;
}

/**
 * The names of the namespaces whose labels match a selector, kept current by a watch of Namespaces with that selector:
 * the API server sends one that starts or stops to match as ADDED or DELETED. A monitor creates it once its kind is
 * known to be namespaced, watches the binding's objects in each of `names`, and calls `end` when it ends itself.
 *
 * Until the first list is complete, `isSynced` is false and `names` is empty. A later list changes `names` in one step,
 * so namespaces in it before and after stay watched.
 */
export class MatchingNamespaces implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #listener: NamespacesListener;
  readonly #subscription: WatchSubscription;
  readonly #names = new Set<string>();
  #listed = new Set<string>();
  #isSynced = false;

  constructor(watches: Watches, selector: LabelSelector, listener: NamespacesListener) {
    this.#listener = listener;
    const labelSelector = labelSelectorText(selector);
    this.#subscription = watches.subscribe(
      { kind: NAMESPACE, ...(labelSelector === '' ? {} : { labelSelector }) },
      this,
    );
  }

  /** Whether the first list is complete. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  get lastContactAtMs(): number | undefined {
    return this.#subscription.lastContactAtMs;
  }

  relist(): void {
    this.#subscription.relist();
  }

  end(): void {
    this.#subscription.unsubscribe();
  }

  listStarted(): void {
    this.#listed = new Set();
  }

  listed({ name }: ObjectRecord): void {
    this.#listed.add(name);
  }

  listDone(gone: readonly ObjectRecord[]): void {
    for (const { name } of gone) this.#names.delete(name);
    for (const name of this.#listed) this.#names.add(name);
    this.#isSynced = true;
    this.#listener.changed();
  }

  changed({ type, record }: StoreChange): void {
    if (type === 'Modified') return;
    if (type === 'Added') this.#names.add(record.name);
    else this.#names.delete(record.name);
    this.#listener.changed();
  }

  failed(error: unknown): void {
    this.#listener.failed(error);
  }

  recovered(): void {
    this.#listener.recovered();
  }
}

/** Needs no discovery: every API server has it. */
export const NAMESPACE: ResourceKind = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  isNamespaced: false,
  verbs: ['get', 'list', 'watch'],
  subresources: [],
};
