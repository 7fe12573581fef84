import type { Task } from '../hook/task.ts';

/** Runs under way that may have to give way to a newer one, by the ids of their ticks. */
export class EndableRuns {
  readonly #running = new Map<string, AbortController>();

  /** Does `work` of a task with a signal that aborts when one of the task's runs is to be ended. */
  async during(task: Task, work: (stop: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const ids = task.triggers.flatMap((trigger) => (trigger.type === 'schedule' ? [trigger.run.runId] : []));
    for (const id of ids) this.#running.set(id, controller);
    try {
      await work(controller.signal);
    } finally {
      for (const id of ids) this.#running.delete(id);
    }
  }

  end(runIds: ReadonlySet<string>): void {
    for (const id of runIds) this.#running.get(id)?.abort();
  }
}

/** Whether the task is for one of these runs. */
export function isForRun({ triggers }: Task, runIds: ReadonlySet<string>): boolean {
  return triggers.some((trigger) => trigger.type === 'schedule' && runIds.has(trigger.run.runId));
}
