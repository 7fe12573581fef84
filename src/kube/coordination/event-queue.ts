import { EventBudgets, type EventRate } from './event-budget.ts';
import type { CountedEvent, EventSubject, RecordedEvent } from './event-object.ts';

// The same limits as client-go has, because etcd stores each Event for an hour.
const POD_RATE: EventRate = { burst: 25, everyMs: 10_000 };
const OBJECT_RATE: EventRate = { burst: 25, everyMs: 300_000 };
/** Limit of the Events that wait, about one object and about all. */
const MAX_WAITING_EACH = 100;
const MAX_WAITING = 1000;
const MAX_MESSAGE = 1024;

/** An Event that waits, with the key that its repetitions have too. */
export interface WaitingEvent extends CountedEvent {
  readonly key: string;
  /** The key of the object. */
  readonly object: string;
}

/**
 * The Events that wait to be sent. A repeated one only counts up. Each object has a rate of its own, so one with many
 * Events holds up no other; what does not fit any more is the oldest Event of the object, or of all.
 */
export class EventQueue {
  readonly #podKey: string | undefined;
  readonly #budgets = new EventBudgets();
  readonly #objects = new Map<string, Map<string, WaitingEvent>>();
  #size = 0;

  constructor(pod: EventSubject | undefined) {
    this.#podKey = pod && objectKey(pod);
  }

  get size(): number {
    return this.#size;
  }

  add(event: RecordedEvent, subject: EventSubject, nowMs: number): void {
    const message = shortened(event.message);
    const object = objectKey(subject);
    const key = JSON.stringify([object, event.type, event.reason, message]);
    const waiting = this.#objects.get(object) ?? new Map<string, WaitingEvent>();
    this.#objects.set(object, waiting);
    const before = waiting.get(key);
    if (before === undefined) this.#size += 1;
    waiting.set(key, {
      key,
      object,
      subject,
      event: { ...event, message },
      firstAtMs: before?.firstAtMs ?? nowMs,
      lastAtMs: nowMs,
      count: (before?.count ?? 0) + 1,
    });
    if (waiting.size > MAX_WAITING_EACH) this.#takeFirst(object, waiting);
    else if (this.#size > MAX_WAITING) this.#dropAny();
  }

  /** How long to wait until an Event may be sent; 0: now. Undefined when none waits. */
  waitMs(nowMs: number): number | undefined {
    let leastMs: number | undefined;
    for (const object of this.#objects.keys()) {
      const waitMs = this.#budgets.waitMs(object, this.#rateOf(object), nowMs);
      if (waitMs === 0) return 0;
      leastMs = Math.min(leastMs ?? waitMs, waitMs);
    }
    return leastMs;
  }

  /** Takes the first Event of the first object that may have one now; the object then comes last. */
  next(nowMs: number): WaitingEvent | undefined {
    for (const [object, waiting] of this.#objects) {
      const rate = this.#rateOf(object);
      if (this.#budgets.waitMs(object, rate, nowMs) > 0) continue;
      this.#budgets.take(object, rate, nowMs);
      return this.#takeFirst(object, waiting);
    }
    return undefined;
  }

  /** Takes any Event, whatever the rate of its object: at the end, when nothing more comes. */
  takeAny(): WaitingEvent | undefined {
    const [first] = this.#objects;
    return first && this.#takeFirst(...first);
  }

  /** Forgets what waits about these objects. */
  forget(isForgotten: (subject: EventSubject) => boolean): void {
    for (const [object, waiting] of this.#objects) {
      const [first] = waiting.values();
      if (first === undefined || !isForgotten(first.subject)) continue;
      this.#objects.delete(object);
      this.#size -= waiting.size;
    }
  }

  #rateOf(object: string): EventRate {
    return object === this.#podKey ? POD_RATE : OBJECT_RATE;
  }

  #dropAny(): void {
    for (const [object, waiting] of this.#objects) {
      if (object === this.#podKey && this.#objects.size > 1) continue;
      this.#takeFirst(object, waiting);
      return;
    }
  }

  #takeFirst(object: string, waiting: Map<string, WaitingEvent>): WaitingEvent | undefined {
    const [first] = waiting.values();
    if (first !== undefined && waiting.delete(first.key)) this.#size -= 1;
    this.#objects.delete(object);
    if (waiting.size > 0) this.#objects.set(object, waiting);
    return first;
  }
}

function objectKey({ apiVersion, kind, namespace = '', name, uid = '' }: EventSubject): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
}
