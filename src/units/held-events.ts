import type { EventTrigger } from '../hook/trigger.ts';
import { sleep } from '../lib/sleep.ts';

interface Held {
  readonly trigger: EventTrigger;
  readonly release: AbortController;
}

/**
 * Holds single events of a hook back for a while. Of one object the order stays: a later event lets the held one go
 * first. What is held when the hook ends is dropped, since its next start begins with the state.
 */
export class HeldEvents {
  readonly #held = new Map<string, Held>();
  readonly #deliver: (trigger: EventTrigger) => void;

  constructor(deliver: (trigger: EventTrigger) => void) {
    this.#deliver = deliver;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Delivers the event after `delayMs`, at once when that is 0. */
  receive(trigger: EventTrigger, delayMs: number, signal: AbortSignal): void {
    this.#release(trigger);
    if (delayMs === 0) this.#deliver(trigger);
    else void this.#hold(trigger, delayMs, signal);
  }

  async #hold(trigger: EventTrigger, delayMs: number, signal: AbortSignal): Promise<void> {
    const held = { trigger, release: new AbortController() };
    this.#held.set(keyOf(trigger), held);
    await sleep(delayMs, AbortSignal.any([signal, held.release.signal]));
    if (signal.aborted || held.release.signal.aborted) return;
    this.#release(trigger);
  }

  /** Lets go what is held of the object. */
  #release(trigger: EventTrigger): void {
    const key = keyOf(trigger);
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.release.abort();
    this.#deliver(held.trigger);
  }
}

function keyOf({ binding, item: { namespace, name } }: EventTrigger): string {
  return `${binding.name}/${namespace}/${name}`;
}
