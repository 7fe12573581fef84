import type { EventTrigger } from '../hook/trigger.ts';

/**
 * Keeps a binding's events in step with its Synchronization: events older than the state the hook is given are part of
 * that state, later ones wait until the hook has dealt with it, then flow.
 */
export class EventGate {
  readonly #deliver: (trigger: EventTrigger) => void;
  #held: EventTrigger[] | undefined;
  #isOpen = false;

  constructor(deliver: (trigger: EventTrigger) => void) {
    this.#deliver = deliver;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns why the event is not delivered now, if it is not. */
  receive(trigger: EventTrigger): string | undefined {
    if (this.#isOpen) {
      this.#deliver(trigger);
      return undefined;
    }
    if (this.#held === undefined) return 'it is part of the Synchronization that is to come';
    this.#held.push(trigger);
    return 'it waits until the Synchronization has succeeded';
  }

  /** To be called in the moment in which the state for a Synchronization is read, also when it is read again. */
  hold(): void {
    if (!this.#isOpen) this.#held = [];
  }

  /** The hook has seen the state (or does not want to): delivers what was held, then everything at once. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const trigger of this.#held ?? []) this.#deliver(trigger);
    this.#held = undefined;
  }
}
