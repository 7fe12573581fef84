import type { KubernetesBinding } from '../hook/binding.ts';
import type { EventTrigger } from '../hook/trigger.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { MonitorListener } from '../sources/kubernetes/monitor.ts';

export interface UnitBindingOptions {
  /** Called once, when the first list is complete. */
  readonly onSynced: () => void;
  readonly onProblem: (error: unknown) => void;
  /** Takes the events that the hook is to be run for. */
  readonly onEvent: (trigger: EventTrigger) => void;
  /** An event does not run the hook now, and why. */
  readonly onHeld: (trigger: EventTrigger, reason: string) => void;
}

type State =
  /** The first list is not complete. */
  | { readonly type: 'waiting' }
  /** The first list is complete, and the hook's turn at boot has not come. */
  | { readonly type: 'listed' }
  /** The Synchronization waits in a queue, or failed and waits to be run again: it will read all there is by then. */
  | { readonly type: 'owed' }
  /** A run has read the state for the Synchronization: what happens after that waits in `later`. */
  | { readonly type: 'read'; readonly later: EventTrigger[] }
  /** The hook has dealt with the Synchronization, or wants none: events run it. */
  | { readonly type: 'live' };

/**
 * One kubernetes binding of a hook at work, which keeps its events in step with its Synchronization. Its monitor calls
 * it as a listener; its unit calls the other methods, at the hook's turn at boot and around each run. No event is lost
 * or given twice: one that comes before the state is read is part of that state, and one that comes after it is held
 * until the hook has dealt with that state.
 */
export class UnitBinding implements MonitorListener {
  readonly binding: KubernetesBinding;
  readonly #options: UnitBindingOptions;
  #state: State = { type: 'waiting' };

  constructor(binding: KubernetesBinding, options: UnitBindingOptions) {
    this.binding = binding;
    this.#options = options;
  }

  get isSynced(): boolean {
    return this.#state.type !== 'waiting';
  }

  synced(): void {
    if (this.#state.type !== 'waiting') return;
    this.#state = { type: 'listed' };
    this.#options.onSynced();
  }

  event(trigger: EventTrigger): void {
    const { onEvent, onHeld } = this.#options;
    switch (this.#state.type) {
      case 'waiting':
      case 'listed':
      case 'owed':
        return onHeld(trigger, 'it is part of the Synchronization that is to come');
      case 'read':
        this.#state.later.push(trigger);
        return onHeld(trigger, 'it waits until the Synchronization has succeeded');
      case 'live':
        return onEvent(trigger);
      default:
        return unreachable(this.#state);
    }
  }

  problem(error: unknown): void {
    this.#options.onProblem(error);
  }

  /** The hook's turn at boot; returns whether a Synchronization is to be queued. */
  enable(): boolean {
    const { executeHookOnSynchronization: isOwed } = this.binding;
    this.#state = { type: isOwed ? 'owed' : 'live' };
    return isOwed;
  }

  /** A run of the Synchronization reads the state in this very moment; a later attempt reads it again. */
  begin(): void {
    if (this.#state.type !== 'live') this.#state = { type: 'read', later: [] };
  }

  /** The Synchronization succeeded, or failed and may: gives the events that were held, then all others as they come. */
  finish(): void {
    const later = this.#state.type === 'read' ? this.#state.later : [];
    this.#state = { type: 'live' };
    for (const trigger of later) this.#options.onEvent(trigger);
  }
}
