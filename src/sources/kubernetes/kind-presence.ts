import type { KubernetesBinding } from '../../hook/binding.ts';
import type { Kinds, ResourceKind } from '../../kube/kind.ts';
import { followKind, RecheckSignal } from './follow-kind.ts';

/** Receives what `KindPresence` reports. */
export interface PresenceListener {
  /** Discovery found the kind. Called after each discovery, also when the kind is the same as before. */
  found(): void;
  /** Discovery found no such kind; called each time it says so. */
  missing(): void;
  /** Discovery failed, or a kind that the binding needs is missing; it is tried again. */
  failed(error: unknown): void;
}

/** What discovery said last; `isReturning` while the snapshot does not show the objects of a kind that was missing. */
type State =
  | { readonly type: 'unknown' }
  | { readonly type: 'found'; readonly kind: ResourceKind; readonly isReturning: boolean }
  | { readonly type: 'missing'; readonly isAbsent: boolean };

/** Whether the API server has the kind of a binding, which may come and go at any time. */
export class KindPresence {
  readonly #binding: KubernetesBinding;
  readonly #kinds: Kinds;
  readonly #listener: PresenceListener;
  readonly #recheck = new RecheckSignal();
  #state: State = { type: 'unknown' };

  constructor(binding: KubernetesBinding, kinds: Kinds, listener: PresenceListener) {
    this.#binding = binding;
    this.#kinds = kinds;
    this.#listener = listener;
  }

  /** The kind; undefined while it is missing or not known. */
  get kind(): ResourceKind | undefined {
    return this.#state.type === 'found' ? this.#state.kind : undefined;
  }

  /** Whether the API server has no such kind now; false until discovery has said so. */
  get isMissing(): boolean {
    return this.#state.type === 'missing';
  }

  /** Whether the kind is missing, discovery is sure of that, and the binding is optional. */
  get isAbsent(): boolean {
    return this.#state.type === 'missing' && this.#state.isAbsent;
  }

  /** Whether the kind was missing and is there again, and `returned` was not called since. */
  get isReturning(): boolean {
    return this.#state.type === 'found' && this.#state.isReturning;
  }

  /** The snapshot shows the objects of the kind that is there again. */
  returned(): void {
    if (this.#state.type === 'found') this.#state = { ...this.#state, isReturning: false };
  }

  /** Asks discovery once more, since a watch found no such kind. */
  recheck(): void {
    this.#recheck.raise();
  }

  /** Asks discovery until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { kind, apiVersion, isOptional } = this.#binding;
    const listener = this.#listener;
    await followKind(
      {
        kinds: this.#kinds,
        reference: { kind, ...(apiVersion !== undefined && { apiVersion }) },
        recheck: this.#recheck,
        isOptional,
        onFound: (found) => {
          this.#state = { type: 'found', kind: found, isReturning: this.isReturning || this.isMissing };
          listener.found();
        },
        onMissing: ({ isSure }) => {
          this.#state = { type: 'missing', isAbsent: isOptional === true && isSure };
          listener.missing();
        },
        onFailed: (error) => {
          if (!this.isAbsent) listener.failed(error);
        },
      },
      signal,
    );
  }
}
