import type { Task } from '../hook/task.ts';
import type { Logger } from '../log.ts';
import { goDuration } from '../lib/duration.ts';
import type { Queue } from '../queue/queue.ts';
import { reasonOf } from '../run/run-reason.ts';

/** A run that others have waited for so long is told, once. */
export const TOLD_AFTER_MS = 60_000;

/** Tells of runs that go on for a minute while other tasks of their queue wait. */
export class LongRuns {
  readonly #told = new WeakSet<Task>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Looks at all queues; to be called every few seconds. */
  look(queues: readonly Queue<Task>[], nowMs: number): void {
    for (const { name: queue, runningSinceMs, tasks } of queues) {
      const [head, ...others] = tasks;
      if (head === undefined || runningSinceMs === undefined || others.length === 0) continue;
      if (nowMs - runningSinceMs < TOLD_AFTER_MS || this.#told.has(head)) continue;
      this.#told.add(head);
      const { name: hook, settings } = head.hook;
      const limit = settings.timeoutMs === undefined ? 'none, see settings.timeout' : goDuration(settings.timeoutMs);
      const fields = { hook, queue, event: reasonOf(head), waiting: others.length, timeLimit: limit };
      this.#log.warn(fields, 'hook has run for a minute, and other tasks of its queue wait for it');
    }
  }
}
