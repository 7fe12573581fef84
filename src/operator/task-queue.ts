import type { Hook } from '../hook/binding.ts';
import { combineTasks } from '../hook/combine.ts';
import type { Task } from '../hook/task.ts';
import type { Metrics } from '../metrics.ts';
import { Queue, type Verdict } from '../queue/queue.ts';
import { TokenBucket } from '../queue/token-bucket.ts';
import { endedWhole } from '../run/journal.ts';
import { afterRun, retried, type Next } from '../run/policy.ts';
import { newRun, type RunOutcome } from '../run/run.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import { runInUnit, type UnitRunOptions } from './run-in-unit.ts';

export interface TaskQueueOptions extends UnitRunOptions {
  /** Called with the hook of each onStartup task that is finished. */
  readonly onStarted: (hook: Hook) => void;
  readonly metrics: Metrics;
}

/** Creates the queues of the operator: each runs its tasks, and carries out what `afterRun` decides. */
export function createQueueFactory(options: TaskQueueOptions): (name: string) => Queue<Task> {
  const { metrics } = options;
  const limits = new WeakMap<Hook, TokenBucket>();
  return (name) => {
    const queueLength = metrics.tasksQueueLength.of({ queue: name });
    return new Queue<Task>({
      name,
      combine: (tasks) => combineCounted(tasks, name, metrics),
      admit: async ({ hook }, signal) => limitOf(hook, limits)?.wait(signal),
      handle: async (task, signal) => handle(task, { ...options, queue: name, signal }),
      onLength: (length) => {
        queueLength.value = length;
      },
    });
  };
}

interface Handling extends TaskQueueOptions {
  readonly queue: string;
  readonly signal: AbortSignal;
}

const DONE = { type: 'done' } as const;

async function handle(queued: Task, options: Handling): Promise<Verdict<Task>> {
  const { unitOf, queue, journal } = options;
  const unit = unitOf(queued.hook);
  if (unit?.defer(queued) === true) return DONE;
  // An object that is gone by now needs no run.
  const task = unit?.living(queued);
  if (unit === undefined || task === undefined) {
    settle(queued, options);
    return DONE;
  }
  const run = newRun(task, queue);
  const outcome = interruptedBy(await runInUnit(run, options), task, options);
  const next = afterRun(run, outcome, { random: Math.random });
  journal.record(endedWhole(run, outcome, next));
  return follow({ task, outcome, next, unit }, options);
}

/** A run that fails after its hook was changed, or after the operator began to stop, counts as interrupted. */
function interruptedBy(outcome: RunOutcome, task: Task, { unitOf, signal }: Handling): RunOutcome {
  if (outcome.type !== 'failed') return outcome;
  const { error, cost } = outcome;
  const what = { type: 'interrupted', error, ...(cost && { cost }) } as const;
  if (unitOf(task.hook) === undefined) return { ...what, by: 'reload' };
  return signal.aborted ? { ...what, by: 'shutdown' } : outcome;
}

interface Ended {
  readonly task: Task;
  readonly outcome: RunOutcome;
  readonly next: Next;
  readonly unit: HookUnit;
}

function follow({ task, outcome, next, unit }: Ended, options: Handling): Verdict<Task> {
  switch (next.type) {
    case 'done':
    case 'drop':
    case 'dead':
    case 'answer':
      settle(task, options);
      return DONE;
    case 'keep':
      return next;
    case 'retry': {
      const again = retried(task, outcome, Date.now());
      if (next.at === 'head') return { type: 'again', as: again, delayMs: next.delayMs };
      unit.retryLater(again, next.delayMs);
      return DONE;
    }
  }
}

/** The task is finished: it succeeded or is not run again. Starts what waited for it. */
function settle(task: Task, { unitOf, onStarted }: TaskQueueOptions): void {
  unitOf(task.hook)?.finish(task);
  if (task.triggers[0].type === 'onStartup') onStarted(task.hook);
}

function combineCounted(tasks: readonly Task[], queue: string, metrics: Metrics): readonly Task[] {
  if (tasks.length < 2) return tasks;
  const startedAt = performance.now();
  const combined = combineTasks(tasks);
  const labels = { queue_name: queue, queue_action: 'Compaction' };
  metrics.tasksQueueActionSeconds.observe(labels, (performance.now() - startedAt) / 1000);
  if (combined === tasks) return tasks;
  const known = new Set(tasks);
  const merged = combined.filter((task) => !known.has(task));
  for (const { hook } of merged) metrics.queueCompactions.inc({ queue_name: queue, hook: hook.name });
  return combined;
}

function limitOf(hook: Hook, limits: WeakMap<Hook, TokenBucket>): TokenBucket | undefined {
  const { executionMinIntervalMs: intervalMs = 0, executionBurst: burst = 1 } = hook.settings;
  if (intervalMs === 0) return undefined;
  const limit = limits.get(hook) ?? new TokenBucket({ intervalMs, burst });
  limits.set(hook, limit);
  return limit;
}
