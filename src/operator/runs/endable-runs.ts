import type { Hook } from '../../hook/binding.ts';
import type { Task } from '../../hook/task.ts';
import { latch } from '../../lib/latch.ts';

interface EndableRun {
  readonly task: Task;
  /** Ends the hook alone. */
  readonly end: AbortController;
  /** Ends the work on its output too. */
  readonly cut: AbortController;
  readonly ended: Promise<void>;
  deadline: NodeJS.Timeout | undefined;
}

/** The abort reason of a run that ends for a newer run of its schedule. */
export const REPLACED = 'replaced';

/**
 * The running hooks that may have to end early: for a newer run of their schedule, because the hook was changed, or
 * because their objects move to another replica.
 */
export class EndableRuns {
  readonly #running = new Set<EndableRun>();

  /**
   * Calls `work` for a task, with a signal that aborts when the hook must end, and one that aborts when the work on its
   * output must end too.
   */
  async during<T>(task: Task, work: (stop: AbortSignal, cut: AbortSignal) => Promise<T>): Promise<T> {
    const [end, cut, ended] = [new AbortController(), new AbortController(), latch()];
    const run: EndableRun = { task, end, cut, ended: ended.promise, deadline: undefined };
    this.#running.add(run);
    try {
      return await work(end.signal, cut.signal);
    } finally {
      ended.resolve();
      clearTimeout(run.deadline);
      this.#running.delete(run);
    }
  }

  /** Ends these runs of schedules for newer ones. */
  replace(runIds: ReadonlySet<string>): void {
    for (const { task, end } of this.#running) if (isForRun(task, runIds)) end.abort(REPLACED);
  }

  /** Whether one of these runs goes on. */
  has(isMeant: (task: Task) => boolean): boolean {
    return [...this.#running].some(({ task }) => isMeant(task));
  }

  /** Resolves when none of these runs goes on, nor one that began meanwhile; when `signal` aborts, they are ended. */
  async quiet(isMeant: (task: Task) => boolean, signal: AbortSignal): Promise<void> {
    const meant = (): readonly EndableRun[] => [...this.#running].filter(({ task }) => isMeant(task));
    const cut = (): void => {
      for (const run of meant()) run.cut.abort();
    };
    signal.addEventListener('abort', cut, { once: true });
    try {
      while (meant().length > 0) {
        if (signal.aborted) cut();
        await Promise.all(meant().map(async ({ ended }) => ended));
      }
    } finally {
      signal.removeEventListener('abort', cut);
    }
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
