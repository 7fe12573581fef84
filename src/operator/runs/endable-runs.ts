import type { Hook } from '../../hook/binding.ts';
import type { Task } from '../../hook/task.ts';

interface EndableRun {
  readonly task: Task;
  readonly end: AbortController;
  deadline: NodeJS.Timeout | undefined;
}

/** The abort reason of a run that ends for a newer run of its schedule. */
export const REPLACED = 'replaced';

/** The running hooks that may have to end early: for a newer run of their schedule, or because the hook was changed. */
export class EndableRuns {
  readonly #running = new Set<EndableRun>();

  /** Calls `work` for a task, with a signal that aborts when the run must end. */
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

  /**
   * Ends runs whose hook `isGone`, unless they end by themselves within `limitMs`; calls `onEnd` for each that it ends.
   */
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

/** Whether one of the task's triggers is one of these runs. */
export function isForRun({ triggers }: Task, runIds: ReadonlySet<string>): boolean {
  return triggers.some((trigger) => trigger.type === 'schedule' && runIds.has(trigger.run.runId));
}
