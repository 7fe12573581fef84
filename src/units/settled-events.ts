import type { SettleRule } from '../hook/binding.ts';
import { objectKeyOf } from '../hook/object-key.ts';
import type { EventTrigger } from '../hook/trigger.ts';
import { sleep } from '../lib/sleep.ts';

/** A burst of events that has not settled. Times are those of the clock that only goes forward. */
interface Burst {
  readonly events: EventTrigger[];
  readonly firstMs: number;
  lastMs: number;
}

/**
 * Holds the events of bindings with `settle` until none came for `quiet`, at the latest `max` after the first, and
 * then delivers them all in order: those of the whole binding, with `concurrency: byObject` those of one object. Events
 * of other bindings are delivered at once.
 *
 * None is lost or merged away. What is still held when the unit ends is dropped, as tasks of the hook are: its next
 * start reads all objects again.
 */
export class SettledEvents {
  readonly #bursts = new Map<string, Burst>();
  readonly #deliver: (trigger: EventTrigger) => void;

  constructor(deliver: (trigger: EventTrigger) => void) {
    this.#deliver = deliver;
  }

  /** The number of events that are held. */
  get size(): number {
    return [...this.#bursts.values()].reduce((sum, { events }) => sum + events.length, 0);
  }

  receive(trigger: EventTrigger, signal: AbortSignal): void {
    const { settle } = trigger.binding;
    if (settle === undefined) return this.#deliver(trigger);
    const key = keyOf(trigger);
    const nowMs = performance.now();
    const burst = this.#bursts.get(key);
    if (burst === undefined) {
      const first = { events: [trigger], firstMs: nowMs, lastMs: nowMs };
      this.#bursts.set(key, first);
      void this.#settle(key, first, settle, signal);
    } else {
      burst.events.push(trigger);
      burst.lastMs = nowMs;
    }
  }

  async #settle(key: string, burst: Burst, { quietMs, maxMs }: SettleRule, signal: AbortSignal): Promise<void> {
    for (let leftMs = quietMs; leftMs > 0 && !signal.aborted;) {
      await sleep(leftMs, signal);
      leftMs = Math.min(burst.lastMs + quietMs, burst.firstMs + maxMs) - performance.now();
    }
    this.#bursts.delete(key);
    if (signal.aborted) return;
    for (const trigger of burst.events) this.#deliver(trigger);
  }
}

function keyOf(trigger: EventTrigger): string {
  const { name, concurrency } = trigger.binding;
  return concurrency === 'byObject' ? `object ${objectKeyOf(trigger) ?? ''}` : `binding ${name}`;
}
