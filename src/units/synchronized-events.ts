import type { EventTrigger } from '../hook/trigger.ts';
import { unreachable } from '../lib/unreachable.ts';

export interface SynchronizedEventsOptions {
  /** Receives the events that are to run the hook. */
  readonly onEvent: (trigger: EventTrigger) => void;
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
  /** The Synchronization is done, or there is none: events run the hook. */
  | { readonly type: 'live' };

/**
 * Keeps events in step with the Synchronization of the same objects: one that comes before an attempt reads the objects
 * is part of the Synchronization, and one that comes after it is held until the Synchronization is done. So none is lost
 * or delivered twice.
 */
export class SynchronizedEvents {
  readonly #options: SynchronizedEventsOptions;
  #state: State = { type: 'waiting' };

  constructor(options: SynchronizedEventsOptions) {
    this.#options = options;
  }

  /** Whether the first list is complete. */
  get isListed(): boolean {
    return this.#state.type !== 'waiting';
  }

  /** The first list is complete. */
  listed(): void {
    if (this.#state.type === 'waiting') this.#state = { type: 'listed' };
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

  /** The Synchronization is queued, where one is owed; else events run the hook from now on. */
  enable(isOwed: boolean): void {
    this.#state = { type: isOwed ? 'owed' : 'live' };
  }

  /** An attempt at the Synchronization reads the objects now, so events held for an earlier attempt are part of them. */
  begin(): void {
    if (this.#state.type !== 'live') this.#state = { type: 'read', later: [] };
  }

  /** The Synchronization failed and is run again: it will read everything there is by then, so nothing is held. */
  fail(): void {
    if (this.#state.type === 'read') this.#state = { type: 'owed' };
  }

  /** The Synchronization succeeded, or failed with `allowFailure`: delivers the held events, then others as they come. */
  finish(): void {
    const later = this.#state.type === 'read' ? this.#state.later : [];
    this.#state = { type: 'live' };
    for (const trigger of later) this.#options.onEvent(trigger);
  }
}
