import type { Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import { subjectKey, subjectOf } from '../../hook/subject.ts';
import type { Task } from '../../hook/task.ts';
import type { QueuedTrigger, ScheduleTrigger, SnapshotItem, Trigger } from '../../hook/trigger.ts';
import { Bell } from '../../lib/bell.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { ObservedChange } from '../../sources/kubernetes/wanted-events.ts';
import { PauseRules, type PauseKey } from './pause-rules.ts';

export interface PauseGateOptions {
  /** Makes a trigger a task in its queue. */
  readonly push: (hook: Hook, trigger: QueuedTrigger) => void;
  /** Sets waiting tasks aside, by calls of `take`. */
  readonly setAside: () => void;
  /** A paused onStartup hook holds back no other. */
  readonly onStarted: (hook: Hook) => void;
  /** A tick is left out for a later one of its binding. */
  readonly onReplaced: (hook: Hook, tick: ScheduleTrigger) => void;
  readonly metrics: Pick<Metrics, 'pausedTasks' | 'pausedTasksDropped'>;
  readonly log: Logger;
}

/** How many triggers may wait; beyond it the oldest is dropped. */
export const MAX_HELD = 100_000;

interface Held {
  readonly hook: Hook;
  readonly trigger: QueuedTrigger;
  readonly key: PauseKey;
  /** `door`: it came after all that was queued. `queue`: it was set aside. */
  readonly from: 'door' | 'queue';
}

/**
 * Where triggers wait that are paused. `Runs` asks it at both ends of a queue: `hold` before a trigger becomes a task,
 * and `take` when the turn of a task comes, so that what is paused never blocks a queue. A paused queue keeps the tasks
 * that it has, and its worker waits in `admit`.
 *
 * Of the triggers of a binding about one object only the last waits, and of the ticks of a schedule the last tick; so a
 * pause ends with one run for each. They are released in the order in which the first of them came. What was queued
 * before stays before. `seen` keeps the object of a waiting event up to date, and releases it when its annotation or
 * the object itself is gone, whether or not the change runs the hook.
 */
export class PauseGate {
  readonly rules = new PauseRules();
  readonly #options: PauseGateOptions;
  /** By subject. */
  readonly #held = new Map<string, Held>();
  readonly #waiting = new Set<Bell>();
  #hasWarned = false;

  constructor(options: PauseGateOptions) {
    this.#options = options;
  }

  /** How many triggers wait, by what they wait for. */
  counts(): ReadonlyMap<PauseKey, number> {
    const counts = new Map<PauseKey, number>();
    for (const { key } of this.#held.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Takes a trigger that is paused; returns whether it did. A trigger that is not replaces an earlier one. */
  hold(hook: Hook, trigger: QueuedTrigger): boolean {
    const key = this.rules.pauseOf(hook, trigger);
    const subject = this.#held.size > 0 || key !== undefined ? subjectOf(hook.name, trigger) : undefined;
    if (subject === undefined) return false;
    if (key === undefined) {
      this.#remove(subject, trigger);
      return false;
    }
    this.#put(subject, { hook, trigger, key, from: 'door' });
    return true;
  }

  /** Returns what of a task may run now; the rest waits, unless something later about the same does. */
  take(task: Task): Task | undefined {
    const paused = new Map<string, Held>();
    const [first, ...others] = task.triggers.filter((trigger) => !this.#isSetAside(task.hook, trigger, paused));
    for (const [subject, held] of paused) {
      const other = this.#held.get(subject);
      // What is run again is older than all that was set aside, which is in the order of its queue.
      const isLater = other === undefined || (task.failures === 0 && other.from === 'queue');
      if (isLater) this.#put(subject, held);
      else this.#replaced(held, other.trigger);
    }
    if (paused.size === 0) return task;
    return first && { ...task, triggers: [first, ...others] };
  }

  /** Whether all of a task is paused, so that it need not wait in its queue. */
  isWholePaused({ hook, triggers }: Task): boolean {
    return triggers.every((trigger) => this.rules.asidePauseOf(hook, trigger) !== undefined);
  }

  /** Resolves when the queue is not paused, or when `signal` aborts. */
  async admit(queue: string, signal: AbortSignal): Promise<void> {
    if (!this.rules.isQueuePaused(queue)) return;
    const bell = new Bell();
    this.#waiting.add(bell);
    signal.addEventListener('abort', bell.ring, { once: true });
    try {
      while (!signal.aborted && this.rules.isQueuePaused(queue)) await bell.rung();
    } finally {
      signal.removeEventListener('abort', bell.ring);
      this.#waiting.delete(bell);
    }
  }

  /** An object of a binding changed, and the binding's events do not say so. */
  seen(hook: Hook, binding: KubernetesBinding, { watchEvent, item }: ObservedChange): void {
    if (this.#held.size === 0) return;
    const { namespace, name } = item;
    const subject = subjectKey(hook.name, {
      type: 'event',
      binding: binding.name,
      kind: binding.kind,
      namespace,
      name,
    });
    const held = this.#held.get(subject);
    if (held?.trigger.type !== 'event' || held.hook !== hook) return;
    const trigger = watchEvent === 'Deleted' ? unmarked(held.trigger) : { ...held.trigger, item };
    this.#held.set(subject, { ...held, trigger });
    this.#releaseIfFree(subject);
  }

  /** The annotation of an object of a reconcile binding, which its triggers do not show. */
  mark(hook: Hook, { name: binding, kind }: ReconcileBinding, object: ReconciledObject): void {
    const { namespace, name, isPaused } = object;
    const subject = subjectKey(hook.name, { type: 'reconcile', binding, kind, namespace, name });
    this.rules.mark(subject, isPaused);
    if (!isPaused) this.#releaseIfFree(subject);
  }

  /** Something was paused: what waits in queues is set aside. */
  paused(): void {
    this.#options.setAside();
  }

  /** Something is not paused any more: releases what nothing else holds; returns how many that were. */
  resumed(): number {
    for (const bell of this.#waiting) bell.ring();
    const before = this.#held.size;
    for (const subject of this.#held.keys()) this.#releaseIfFree(subject);
    return before - this.#held.size;
  }

  /** Drops what waits of hooks that were changed or removed, and of runs that were replaced; returns their tasks. */
  drop(isUnwanted: (hook: Hook, trigger: QueuedTrigger) => boolean): readonly Pick<Held, 'hook' | 'trigger'>[] {
    const dropped = [...this.#held].filter(([, { hook, trigger }]) => isUnwanted(hook, trigger));
    for (const [subject] of dropped) this.#delete(subject);
    return dropped.map(([, held]) => held);
  }

  /** Adds a trigger to `paused` if it is paused, in place of one before it about the same. */
  #isSetAside(hook: Hook, trigger: Trigger, paused: Map<string, Held>): boolean {
    const key = trigger.type === 'ask' ? undefined : this.rules.asidePauseOf(hook, trigger);
    const subject = subjectOf(hook.name, trigger);
    if (trigger.type === 'ask' || key === undefined || subject === undefined) return false;
    const before = paused.get(subject);
    if (before !== undefined) this.#replaced(before, trigger);
    paused.set(subject, { hook, trigger, key, from: 'queue' });
    return true;
  }

  #put(subject: string, held: Held): void {
    const before = this.#held.get(subject);
    if (before !== undefined) this.#replaced(before, held.trigger);
    else this.#count(held.hook, 1);
    this.#held.set(subject, held);
    if (held.trigger.type === 'onStartup') this.#options.onStarted(held.hook);
    if (this.#held.size > MAX_HELD) this.#dropOldest();
  }

  #releaseIfFree(subject: string): void {
    const held = this.#held.get(subject);
    if (held === undefined) return;
    const key = this.rules.pauseOf(held.hook, held.trigger);
    if (key === held.key) return;
    if (key !== undefined) {
      this.#held.set(subject, { ...held, key });
      return;
    }
    this.#delete(subject);
    this.#options.push(held.hook, held.trigger);
  }

  #remove(subject: string, later: QueuedTrigger): void {
    const held = this.#delete(subject);
    if (held !== undefined) this.#replaced(held, later);
  }

  #replaced({ hook, trigger }: Held, later: QueuedTrigger): void {
    if (trigger.type !== 'schedule' || later.type !== 'schedule' || trigger.run.runId === later.run.runId) return;
    this.#options.onReplaced(hook, trigger);
  }

  #delete(subject: string): Held | undefined {
    const held = this.#held.get(subject);
    if (held === undefined) return undefined;
    this.#held.delete(subject);
    this.#count(held.hook, -1);
    return held;
  }

  #dropOldest(): void {
    const { metrics, log } = this.#options;
    const [oldest] = this.#held.keys();
    const held = oldest === undefined ? undefined : this.#delete(oldest);
    metrics.pausedTasksDropped.inc({});
    if (this.#hasWarned || held === undefined) return;
    this.#hasWarned = true;
    log.warn({ hook: held.hook.name, limit: MAX_HELD }, 'too much waits for the end of pauses: the oldest is dropped');
  }

  #count({ name: hook }: Hook, by: 1 | -1): void {
    this.#options.metrics.pausedTasks.of({ hook }).value += by;
  }
}

/** An object of a reconcile binding. */
export interface ReconciledObject {
  readonly namespace: string;
  readonly name: string;
  readonly isPaused: boolean;
}

/** The object is gone, and its annotation with it. */
function unmarked(trigger: Extract<QueuedTrigger, { readonly type: 'event' }>): QueuedTrigger {
  const { isPaused: _, ...item }: SnapshotItem = trigger.item;
  return { ...trigger, item };
}
