import type { Task } from '../hook/task.ts';
import type { Logger } from '../log.ts';
import { goDuration } from '../lib/duration.ts';
import type { Queue } from '../queue/queue.ts';
import { reasonOf } from '../run/run-reason.ts';

/** A run that takes this long while other tasks wait for it is logged, once. */
export const LOGGED_AFTER_MS = 60_000;

/** Logs runs that take longer than a minute while other tasks of their queue wait. */
export class LongRuns {
  readonly #logged = new WeakSet<Task>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Checks the running task of each queue; to be called every few seconds. */
  check(queues: readonly Queue<Task>[], nowMs: number): void {
    for (const { name: queue, runningSinceMs, tasks } of queues) {
      const [head, ...others] = tasks;
      if (head === undefined || runningSinceMs === undefined || others.length === 0) continue;
      if (nowMs - runningSinceMs < LOGGED_AFTER_MS || this.#logged.has(head)) continue;
      this.#logged.add(head);
      const { name: hook, settings } = head.hook;
      const limit = settings.timeoutMs === undefined ? 'none, see settings.timeout' : goDuration(settings.timeoutMs);
      const fields = { hook, queue, event: reasonOf(head), waiting: others.length, timeLimit: limit };
      this.#log.warn(fields, 'hook has run for a minute, and other tasks of its queue wait for it');
    }
  }
}
