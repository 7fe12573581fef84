import type { KubeObject } from '../../kube/object.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';
import { readRegistered, type Registered } from './registered.ts';

/** The kinds of webhook configurations. */
export type ConfigurationKind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

/** What the watch of one webhook configuration saw last. */
export type Seen =
  | { readonly type: 'unknown' }
  | { readonly type: 'missing' }
  | { readonly type: 'found'; readonly registered: Registered };

/** Follows one webhook configuration by a watch, from its creation until `end`. */
export class FollowedConfiguration implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #onChange: () => void;
  readonly #subscription: WatchSubscription;
  #seen: Seen = { type: 'unknown' };
  #failure: unknown;

  constructor(
    watches: Watches,
    place: { readonly kind: ConfigurationKind; readonly name: string },
    onChange: () => void,
  ) {
    this.#onChange = onChange;
    // The name as field selector: a ClusterRole with `resourceNames` allows this list and watch.
    const target = { kind: configurationKind(place.kind), fieldSelector: `metadata.name=${place.name}` };
    this.#subscription = watches.subscribe(target, this);
  }

  get seen(): Seen {
    return this.#seen;
  }

  /** Why the watch does not succeed; undefined when it does. */
  get failure(): unknown {
    return this.#failure;
  }

  end(): void {
    this.#subscription.unsubscribe();
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
    this.#seen = { type: 'found', registered: readRegistered(value) };
  }

  /** An object that was deleted and created again is another one. */
  #is({ uid }: ObjectRecord): boolean {
    return this.#seen.type === 'found' && this.#seen.registered.uid === uid;
  }
}

const PLURALS = {
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
} as const;

/** Needs no discovery: every API server has it. */
export function configurationKind(kind: ConfigurationKind): ResourceKind {
  return {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    plural: PLURALS[kind],
    singular: kind.toLowerCase(),
    shortNames: [],
    isNamespaced: false,
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    subresources: [],
  };
}
