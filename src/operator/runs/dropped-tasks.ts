import type { Hook } from '../../hook/binding.ts';
import { newTask, queueOf, type Task } from '../../hook/task.ts';
import type { QueuedTrigger } from '../../hook/trigger.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { PauseGate } from '../pause/pause-gate.ts';

export interface DroppedTasksOptions {
  readonly queues: () => readonly TaskQueue<Task>[];
  readonly gate: PauseGate | undefined;
  readonly journal: RunJournal;
}

/** `replaced` by a newer run of the schedule, `gone` with its hook, or `moved` with its objects to another replica. */
export type DropReason = 'replaced' | 'gone' | 'moved';

/** Takes out what is not to be run: waiting tasks, and triggers that are paused. Each is recorded in the journal. */
export class DroppedTasks {
  readonly #options: DroppedTasksOptions;

  constructor(options: DroppedTasksOptions) {
    this.#options = options;
  }

  /** Takes tasks out of the queues; returns them. */
  fromQueues(isUnwanted: (task: Task) => boolean, why: DropReason): readonly Task[] {
    return this.#options.queues().flatMap((queue) => {
      const dropped = queue.drop(isUnwanted);
      for (const task of dropped) this.#options.journal.record({ type: 'dropped', task, queue: queue.name, why });
      return dropped;
    });
  }

  /** Takes triggers out of those that wait for the end of a pause. */
  fromGate(isUnwanted: (hook: Hook, trigger: QueuedTrigger) => boolean, why: DropReason): void {
    for (const { hook, trigger } of this.#options.gate?.drop(isUnwanted) ?? []) this.record(hook, trigger, why);
  }

  /** Records that a trigger is not run which is in no queue. */
  record(hook: Hook, trigger: QueuedTrigger, why: DropReason): void {
    const task = newTask(hook, trigger, Date.now());
    this.#options.journal.record({ type: 'dropped', task, queue: queueOf(hook, trigger).name, why });
  }
}
