import type { KubernetesBinding } from '../hook/binding.ts';
import type { EventTrigger } from '../hook/trigger.ts';
import { latch } from '../lib/latch.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { MonitorListener } from '../sources/kubernetes/monitor.ts';
import type { ObservedChange } from '../sources/kubernetes/wanted-events.ts';

export interface UnitBindingOptions {
  /** Called once, when the first list is complete. */
  readonly onSynced: () => void;
  readonly onProblem: (error: unknown) => void;
  /** Receives the events that are to run the hook. */
  readonly onEvent: (trigger: EventTrigger) => void;
  /** An object changed, and the binding wants no event of that. */
  readonly onSeen?: (change: ObservedChange) => void;
  /** An event does not run the hook now; `reason` is a phrase for the log. */
  readonly onHeld: (trigger: EventTrigger, reason: string) => void;
}

type State =
  /** The first list is incomplete. */
  | { readonly type: 'waiting' }
  /** The first list is complete, and the unit is not enabled. */
  | { readonly type: 'listed' }
  /** The Synchronization waits for its next attempt, which reads all objects there are by then. */
  | { readonly type: 'owed' }
  /** The latest attempt at the Synchronization has read the objects; events after that are held in `later`. */
  | { readonly type: 'read'; readonly later: EventTrigger[] }
  /** The Synchronization is done, or the binding has none: events run the hook. */
  | { readonly type: 'live' };

/**
 * One kubernetes binding of a hook at work, which keeps its events in step with its Synchronization. Its monitor calls
 * it as a listener; its unit calls the other methods, at the hook's turn at boot and around each run. No event is lost
 * or delivered twice: one that comes before an attempt reads the objects is part of the Synchronization, and one that
 * comes after it is held until the Synchronization is done.
 */
export class UnitBinding implements MonitorListener {
  readonly binding: KubernetesBinding;
  readonly #options: UnitBindingOptions;
  readonly #synced = latch();
  #state: State = { type: 'waiting' };

  constructor(binding: KubernetesBinding, options: UnitBindingOptions) {
    this.binding = binding;
    this.#options = options;
  }

  get isSynced(): boolean {
    return this.#state.type !== 'waiting';
  }

  /** Resolves when the first list is complete. */
  get whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  synced(): void {
    if (this.#state.type !== 'waiting') return;
    this.#state = { type: 'listed' };
    this.#synced.resolve();
    this.#options.onSynced();
  }

  event(trigger: EventTrigger): void {
    const { onEvent, onHeld } = this.#options;
    switch (this.#state.type) {
      case 'waiting':
      case 'listed':
      case 'owed':
        return onHeld(trigger, 'it is part of the Synchronization to come');
      case 'read':
        this.#state.later.push(trigger);
        return onHeld(trigger, 'it waits until the Synchronization has succeeded');
      case 'live':
        return onEvent(trigger);
      default:
        return unreachable(this.#state);
    }
  }

  seen(change: ObservedChange): void {
    this.#options.onSeen?.(change);
  }

  problem(error: unknown): void {
    this.#options.onProblem(error);
  }

  /** The unit is enabled; returns whether a Synchronization is to be queued. */
  enable(): boolean {
    const { executeHookOnSynchronization: isOwed } = this.binding;
    this.#state = { type: isOwed ? 'owed' : 'live' };
    return isOwed;
  }

  /**
   * An attempt at the Synchronization reads the objects now, so events held for an earlier attempt are part of them.
   */
  begin(): void {
    if (this.#state.type !== 'live') this.#state = { type: 'read', later: [] };
  }

  /** The Synchronization failed and is run again: it will read everything there is by then, so nothing is held. */
  fail(): void {
    if (this.#state.type === 'read') this.#state = { type: 'owed' };
  }

  /**
   * The Synchronization succeeded, or failed with `allowFailure`: delivers the held events, then others as they come.
   */
  finish(): void {
    const later = this.#state.type === 'read' ? this.#state.later : [];
    this.#state = { type: 'live' };
    for (const trigger of later) this.#options.onEvent(trigger);
  }
}
