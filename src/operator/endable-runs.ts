import type { Hook } from '../hook/binding.ts';
import type { Task } from '../hook/task.ts';

interface EndableRun {
  readonly task: Task;
  readonly end: AbortController;
  deadline: NodeJS.Timeout | undefined;
}

/** Why a run ends for a newer run of its schedule. */
export const REPLACED = 'replaced';

/** Runs under way that may have to end: for a newer run of their schedule, or because their hook was changed. */
export class EndableRuns {
  readonly #running = new Set<EndableRun>();

  /** Does the work of a task with a signal that aborts when the run is to end. */
  async during<T>(task: Task, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const run: EndableRun = { task, end: new AbortController(), deadline: undefined };
    this.#running.add(run);
    try {
      return await work(run.end.signal);
    } finally {
      clearTimeout(run.deadline);
      this.#running.delete(run);
    }
  }

  /** Ends these runs of schedules for newer ones. */
  replace(runIds: ReadonlySet<string>): void {
    for (const { task, end } of this.#running) if (isForRun(task, runIds)) end.abort(REPLACED);
  }

  /** Ends the runs of hooks that were changed or removed, unless they end by themselves within `limitMs`. */
  endGone(isGone: (hook: Hook) => boolean, limitMs: number, onEnd: (hook: Hook) => void): void {
    for (const run of this.#running) {
      const { hook } = run.task;
      if (run.deadline !== undefined || !isGone(hook)) continue;
      run.deadline = setTimeout(() => {
        onEnd(hook);
        run.end.abort();
      }, limitMs);
    }
  }
}

/** Whether the task is for one of these runs. */
export function isForRun({ triggers }: Task, runIds: ReadonlySet<string>): boolean {
  return triggers.some((trigger) => trigger.type === 'schedule' && runIds.has(trigger.run.runId));
}
