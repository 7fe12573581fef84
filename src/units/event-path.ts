/*
 * The way of the events of one hook, from its bindings to its queue. An event that stems from the hook's own status is
 * dropped (`OwnStatusWrites`), one of an object that the hook changes in a loop is held (`OwnWrites`, `HeldEvents`), and
 * one of a burst waits until the burst has settled (`SettledEvents`). When the unit ends, what is held is dropped: the
 * next start of the hook reads all objects again.
 */

import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { Task } from '../hook/task.ts';
import type { Emit, EventTrigger } from '../hook/trigger.ts';
import { HeldEvents } from './held-events.ts';
import { OwnStatusWrites, type EndStatusWrite, type StatusPlace } from './own-status-writes.ts';
import { OwnWrites, type Loop } from './own-writes.ts';
import { SettledEvents } from './settled-events.ts';

export interface EventPathOptions {
  readonly emit: Emit;
  readonly now: () => number;
  /** An event does not run the hook now; `reason` is a phrase for the log. */
  readonly onEventHeld?: ((trigger: EventTrigger, reason: string) => void) | undefined;
  /** Aborts when the unit ends. */
  readonly ended: AbortSignal;
}

/** Passes the events of one hook on to its queue; see above. */
export class EventPath {
  readonly #options: EventPathOptions;
  readonly #ownWrites: OwnWrites;
  readonly #ownStatusWrites: OwnStatusWrites;
  readonly #held: HeldEvents;

  constructor(options: EventPathOptions) {
    this.#options = options;
    const { emit, now, onEventHeld, ended } = options;
    this.#ownWrites = new OwnWrites(now);
    this.#ownStatusWrites = new OwnStatusWrites({
      deliver: (trigger) => this.#deliver(trigger),
      onDropped: (trigger) => onEventHeld?.(trigger, 'the status of the object was written for this hook'),
    });
    const settled = new SettledEvents(emit);
    this.#held = new HeldEvents((trigger) => settled.receive(trigger, ended));
  }

  receive(trigger: EventTrigger): void {
    this.#ownStatusWrites.receive(trigger);
  }

  /** Records an applied operation of a run of `task`; returns the hook's loop that the write continues, if any. */
  wrote(task: Task, operation: PatchOperation, applied: AppliedOperation): Loop | undefined {
    return this.#ownWrites.note(task.triggers, operation, applied);
  }

  /**
   * The status of an object is written for a run of this hook: its events wait until the returned function is called,
   * and the event of that write does not run the hook.
   */
  beginStatusWrite(place: StatusPlace): EndStatusWrite {
    return this.#ownStatusWrites.begin(place);
  }

  #deliver(trigger: EventTrigger): void {
    const { ended, onEventHeld } = this.#options;
    if (ended.aborted) return;
    const delayMs = this.#ownWrites.delayOf(trigger);
    if (delayMs > 0) onEventHeld?.(trigger, `the hook changes this object in a loop: held for ${delayMs} ms`);
    this.#held.receive(trigger, delayMs, ended);
  }
}
