import type { Hook } from '../../hook/binding.ts';
import { keysOf } from '../../hook/object-key.ts';
import { newTask, type Task } from '../../hook/task.ts';
import { isMoved, type QueuedTrigger, type Trigger } from '../../hook/trigger.ts';
import { DueTimes } from '../../queue/due-times.ts';

/**
 * What hooks asked for when they succeeded: to come again for an object after some time. At most one wish is kept for
 * an object of a binding. It ends when something happens to the object, or when its run begins.
 */
export class Wishes {
  readonly #push: (task: Task, trigger: QueuedTrigger) => void;
  readonly #current: CurrentTrigger;
  readonly #tasks = new Map<string, Task>();
  readonly #times = new DueTimes<string>();

  constructor(push: (task: Task, trigger: QueuedTrigger) => void, current: CurrentTrigger = ({ trigger }) => trigger) {
    this.#push = push;
    this.#current = current;
  }

  get size(): number {
    return this.#tasks.size;
  }

  /** Has the object of a task come again; the task is one of `wishesOf`. */
  set(task: Task, atMs: number): void {
    const [key] = keysOf(task);
    if (key === undefined) return;
    this.#tasks.set(key, task);
    this.#times.set(key, atMs);
  }

  /** Something happens to the objects of a task. */
  forget(task: Task): void {
    if (this.#tasks.size > 0) for (const key of keysOf(task)) this.#delete(key);
  }

  /** Forgets what hooks wished that are gone. */
  drop(isGone: (hook: Hook) => boolean): void {
    for (const [key, { hook }] of this.#tasks) if (isGone(hook)) this.#delete(key);
  }

  /** Forgets what hooks wished of objects that moved to another replica. */
  dropMoved(): void {
    for (const [key, { triggers }] of this.#tasks) if (triggers.every(isMoved)) this.#delete(key);
  }

  /** Queues what was wished for when its time has come, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#times.run((key) => {
      const task = this.#tasks.get(key);
      this.#tasks.delete(key);
      const wished = task?.triggers[0];
      if (task === undefined || wished === undefined || wished.type === 'ask') return;
      const trigger = this.#current({ hook: task.hook, trigger: wished });
      if (trigger === undefined) return;
      const nowMs = Date.now();
      this.#push({ ...task, triggers: [trigger], queuedAtMs: nowMs, sinceMs: nowMs }, trigger);
    }, signal);
  }

  #delete(key: string): void {
    this.#tasks.delete(key);
    this.#times.delete(key);
  }
}

/** A trigger as it is now; undefined when its object is gone. */
export type CurrentTrigger = (wished: {
  readonly hook: Hook;
  readonly trigger: QueuedTrigger;
}) => QueuedTrigger | undefined;

/**
 * A new task for each object of a task whose run succeeded, with what the hook left for the next attempt. For an object
 * that was deleted nothing is wished.
 */
export function wishesOf({ hook, triggers }: Task, previous: string | undefined): readonly Task[] {
  const wished = new Map<string, Task>();
  for (const trigger of triggers) {
    if (trigger.type === 'event' && trigger.watchEvent === 'Deleted') continue;
    const task = newTask(hook, again(trigger), Date.now());
    const [key] = keysOf(task);
    if (key !== undefined) wished.set(key, previous === undefined ? task : { ...task, previous });
  }
  return [...wished.values()];
}

function again(trigger: Trigger): Trigger {
  return trigger.type === 'reconcile' ? { ...trigger, reason: 'again' } : trigger;
}
