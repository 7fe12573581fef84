import type { EventTrigger } from '../hook/trigger.ts';
import { sleep } from '../lib/sleep.ts';

interface Held {
  readonly trigger: EventTrigger;
  readonly release: AbortController;
}

/**
 * Delays events of one hook: those of an object that the hook itself changes in a loop. `EventPath` passes every event
 * through `receive`, with the delay that `OwnWrites` computed; 0 means deliver now.
 *
 * At most one event of a binding and object is held. The events of an object stay in order and none is merged away: a
 * later event delivers the held one first. Events that are still held when the unit ends are dropped: the hook's next
 * start reads all objects again.
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

  /** Delivers the held event of the same object, if any; then this one after `delayMs`, immediately when that is 0. */
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

  /** Delivers the held event of this binding and object, if any. */
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
