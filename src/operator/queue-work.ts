import { HookFailedError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import { combineTasks } from '../hook/combine.ts';
import type { Task } from '../hook/task.ts';
import type { LogFields, Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { Queue, type FailureDecision } from '../queue/queue.ts';
import { retryDelay } from '../queue/retry-delay.ts';
import { TokenBucket } from '../queue/token-bucket.ts';
import { environmentalDelayMs } from './environmental-delay.ts';
import type { HookUnit } from './hook-unit.ts';
import { againText } from './queue-holds.ts';
import { bindingOf, reasonOf } from './run-reason.ts';

/** Of failures that were not their hook's, so many make a log line: about one a minute. */
const TOLD_EACH = 30;

export interface QueueWorkOptions {
  /** Absent for a hook that was changed or removed: its tasks are dropped. */
  readonly unitOf: (hook: Hook) => HookUnit | undefined;
  /** Runs the task's hook once. */
  readonly run: (task: Task, queue: string, unit: HookUnit) => Promise<void>;
  /** Called with the hook of each onStartup task that is settled. */
  readonly onStarted: (hook: Hook) => void;
  /** A run failed that its binding does not allow to. */
  readonly onFailed?: (task: Task, error: unknown) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Makes the queues of the operator: what is done with a task, and what happens when that fails. */
export function createQueueFactory(options: QueueWorkOptions): (name: string) => Queue<Task> {
  const { unitOf, metrics } = options;
  const limits = new WeakMap<Hook, TokenBucket>();
  return (name) => {
    const queueLength = metrics.tasksQueueLength.of({ queue: name });
    return new Queue<Task>({
      name,
      backoff: retryDelay(),
      combine: (tasks) => combineCounted(tasks, name, metrics),
      admit: async ({ hook }, signal) => limitOf(hook, limits)?.wait(signal),
      handle: async (task) => {
        const unit = unitOf(task.hook);
        if (unit?.defer(task) === true) return;
        if (unit !== undefined) {
          await options.run(task, name, unit);
          unit.settleTicks(task, 'succeeded');
        }
        settle(task, options);
      },
      onFailure: (error, task, backoffMs) => decide({ error, task, queue: name, backoffMs }, options),
      onLength: (length) => {
        queueLength.value = length;
      },
    });
  };
}

interface Failure {
  readonly error: unknown;
  readonly task: Task;
  readonly queue: string;
  readonly backoffMs: () => number;
}

function decide({ error, task, queue, backoffMs }: Failure, options: QueueWorkOptions): FailureDecision<Task> {
  const { unitOf, metrics, log } = options;
  const unit = unitOf(task.hook);
  if (unit === undefined) {
    settle(task, options);
    return 'drop';
  }
  const labels = { hook: task.hook.name, binding: bindingOf(task), queue };
  const attempt = task.failures + 1;
  const fields = {
    hook: task.hook.name,
    ...(labels.binding !== '' && { binding: labels.binding }),
    queue,
    event: reasonOf(task),
    attempt,
    ...exitCodeOf(error),
    err: error,
  };
  if (unit.isReplaced(task)) {
    log.info({ ...fields, err: undefined }, 'hook was ended for a newer run of its schedule');
    unit.settleTicks(task, 'replaced');
    return 'drop';
  }
  if (task.allowFailure) {
    unit.settleTicks(task, 'failed');
    metrics.hookRunAllowedErrors.inc(labels);
    log.warn(fields, 'hook failed, which its binding allows');
    settle(task, options);
    return 'drop';
  }
  metrics.hookRunErrors.inc(labels);
  options.onFailed?.(task, error);
  unit.settleTicks(task, 'retry');
  return retry({ error, task, queue, backoffMs }, { unit, fields, log });
}

interface Retrying {
  readonly unit: HookUnit;
  readonly fields: LogFields;
  readonly log: Logger;
}

function retry({ error, task, backoffMs }: Failure, { unit, fields, log }: Retrying): FailureDecision<Task> {
  const attempt = task.failures + 1;
  const environmentalMs = environmentalDelayMs(error, task.failures);
  const laterMs = unit.retryLater(task, environmentalMs);
  const delayMs = laterMs ?? environmentalMs ?? backoffMs();
  const again = againText({ attempt: attempt + 1, againAtMs: delayMs }, 0);
  if (isNews(environmentalMs, attempt)) log.error({ ...fields, again }, 'hook failed, it is run again after a delay');
  return laterMs === undefined ? { retryAs: { ...task, failures: attempt, queuedAtMs: Date.now() }, delayMs } : 'drop';
}

function exitCodeOf(error: unknown): { readonly exitCode?: number } {
  const exitCode = error instanceof HookFailedError ? error.failure?.exitCode : undefined;
  return exitCode === undefined ? {} : { exitCode };
}

/** What lasts and is repeated often is not news each time. */
function isNews(environmentalMs: number | undefined, attempt: number): boolean {
  return environmentalMs === undefined || attempt % TOLD_EACH === 1;
}

/** The task succeeded, was allowed to fail, or its hook is gone: what waited for it goes on. */
function settle(task: Task, { unitOf, onStarted }: QueueWorkOptions): void {
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
