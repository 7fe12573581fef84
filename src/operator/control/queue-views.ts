import type { QueuedTask, QueueView } from '../../hook/operator-view.ts';
import type { Task } from '../../hook/task.ts';
import { shownText } from '../../lib/shown.ts';
import type { Head, TaskQueue } from '../../queue/task-queue.ts';
import { bindingOf, reasonOf } from '../../run/run-reason.ts';
import { limitedBy } from '../queues/limited-by.ts';

const MAX_QUEUES = 200;
const MAX_TASKS = 20;
const MAX_REASON_CHARS = 300;

/** What a person sees of the queues that have tasks: those with most tasks, in the order of their names. */
export function queueViews(queues: readonly TaskQueue<Task>[]): readonly QueueView[] {
  const busy = queues.filter(({ length }) => length > 0);
  const shown = busy.length <= MAX_QUEUES ? busy : busy.toSorted((a, b) => b.length - a.length).slice(0, MAX_QUEUES);
  return shown.map(queueView).toSorted((a, b) => (a.queue < b.queue ? -1 : 1));
}

function queueView(queue: TaskQueue<Task>): QueueView {
  const { heads } = queue;
  const running = heads.filter(({ state }) => state === 'running').length;
  return {
    queue: queue.name,
    running,
    waiting: queue.length - running,
    ...earliest(
      'delayedUntil',
      heads.flatMap((head) => (head.state === 'delayed' ? [head.untilMs] : [])),
    ),
    ...limited(heads.filter((head) => head.state === 'admitting')),
    tasks: queue.tasks.slice(0, MAX_TASKS).map(queuedTask),
  };
}

function limited(
  heads: readonly Extract<Head<Task>, { readonly state: 'admitting' }>[],
): Pick<QueueView, 'limitedSince' | 'limitedBy'> {
  const [first, ...others] = heads;
  if (first === undefined) return {};
  const { sinceMs, task } = others.reduce((best, one) => (one.sinceMs < best.sinceMs ? one : best), first);
  const by = limitedBy(task.hook);
  return { limitedSince: new Date(sinceMs).toISOString(), ...(by !== undefined && { limitedBy: by }) };
}

function queuedTask(task: Task): QueuedTask {
  return {
    hook: task.hook.name,
    binding: bindingOf(task),
    reason: shownText(reasonOf(task), MAX_REASON_CHARS),
    attempt: task.failures + 1,
    queued: new Date(task.queuedAtMs).toISOString(),
  };
}

function earliest(key: string, timesMs: readonly number[]): Readonly<Record<string, string>> {
  return timesMs.length === 0 ? {} : { [key]: new Date(timesMs.reduce((a, b) => Math.min(a, b))).toISOString() };
}
