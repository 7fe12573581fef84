import type { Task } from '../../hook/task.ts';
import type { Metrics } from '../../metrics.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';

/** As in shell-operator: fewer tasks of a hook have no series. */
const CROWD = 20;

/** Counts the tasks of each hook in each queue, where they are more than 20; to be called every few seconds. */
export function countCrowds(queues: readonly TaskQueue<Task>[], { tasksByHook }: Pick<Metrics, 'tasksByHook'>): void {
  tasksByHook.clear();
  for (const queue of queues) {
    if (queue.length <= CROWD) continue;
    const counts = new Map<string, number>();
    for (const { hook } of queue.tasks) counts.set(hook.name, (counts.get(hook.name) ?? 0) + 1);
    for (const [hook, count] of counts) {
      if (count > CROWD) tasksByHook.set({ queue_name: queue.name, hook }, count);
    }
  }
}
