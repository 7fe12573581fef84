import type { Task } from '../../hook/task.ts';
import type { Logger } from '../../log.ts';
import { goDuration } from '../../lib/duration.ts';
import type { Head, TaskQueue } from '../../queue/task-queue.ts';
import { reasonOf } from '../../run/run-reason.ts';

/** A run that takes this long while other tasks wait for it is logged, once. */
export const LOGGED_AFTER_MS = 60_000;

/** Logs runs that take longer than a minute while other tasks of their queue wait. */
export class LongRuns {
  readonly #logged = new WeakSet<Task>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Checks the running tasks of each queue; to be called every few seconds. */
  check(queues: readonly TaskQueue<Task>[], nowMs: number): void {
    for (const { name, heads } of queues) for (const head of heads) this.#check(name, head, nowMs);
  }

  #check(queue: string, head: Head<Task>, nowMs: number): void {
    const { task, behind } = head;
    if (head.state !== 'running' || behind.length === 0) return;
    if (nowMs - head.sinceMs < LOGGED_AFTER_MS || this.#logged.has(task)) return;
    this.#logged.add(task);
    const { name: hook, settings } = task.hook;
    const limit = settings.timeoutMs === undefined ? 'none, see settings.timeout' : goDuration(settings.timeoutMs);
    const fields = { hook, queue, event: reasonOf(task), waiting: behind.length, timeLimit: limit };
    this.#log.warn(fields, 'hook has run for a minute, and other tasks of its queue wait for it');
  }
}
