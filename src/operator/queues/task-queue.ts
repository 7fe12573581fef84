import type { Hook } from '../../hook/binding.ts';
import { combineTasks } from '../../hook/combine.ts';
import { anew, isBulk, mergeTasks } from '../../hook/merge.ts';
import { keysOf } from '../../hook/object-key.ts';
import type { QueuePlace, Task } from '../../hook/task.ts';
import { isMoved } from '../../hook/trigger.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Metrics } from '../../metrics.ts';
import { KeyedQueue } from '../../queue/keyed-queue.ts';
import { Queue } from '../../queue/queue.ts';
import type { TaskQueue, Verdict } from '../../queue/task-queue.ts';
import { TokenBucket } from '../../queue/token-bucket.ts';
import type { EndedPart } from '../../run/journal.ts';
import { partsOf, type RunPart } from '../../run/parts.ts';
import { afterRun, countedOutcome, retried, type RetryPolicy } from '../../run/policy.ts';
import { newRun, type Run, type RunOutcome } from '../../run/run.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { PauseGate } from '../pause/pause-gate.ts';
import { runInUnit, type UnitRunOptions } from '../runs/run-in-unit.ts';
import { wishesOf, type Wishes } from './wishes.ts';

type Limits = WeakMap<Hook, TokenBucket>;

export interface TaskQueueOptions extends UnitRunOptions {
  readonly wishes: Wishes;
  /** Runs a task once; never rejects. Default: with the snapshots of its unit. */
  readonly run?: (run: Run, options: UnitRunOptions) => Promise<RunOutcome>;
  /** Called with the hook of each onStartup task that is finished. */
  readonly onStarted: (hook: Hook) => void;
  readonly metrics: Metrics;
  /** Takes what is paused out of the queues. */
  readonly gate?: Pick<PauseGate, 'admit' | 'take'> | undefined;
  /** Waits until a run of a hook can begin where it is executed, so that its contexts are read then; default: it can. */
  readonly room?: ((hook: Hook, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Creates the queues of the operator: each runs its tasks, and carries out what `afterRun` decides. */
export function createQueueFactory(options: TaskQueueOptions): (place: QueuePlace) => TaskQueue<Task> {
  const limits = new WeakMap<Hook, TokenBucket>();
  return (place) =>
    place.parallelism === undefined ? inOrder(place, options, limits) : byObject(place, options, limits);
}

function inOrder({ name }: QueuePlace, options: TaskQueueOptions, limits: Limits): TaskQueue<Task> {
  const { metrics } = options;
  const queue: Queue<Task> = new Queue<Task>({
    name,
    combine: (tasks) => combineCounted(tasks, name, metrics),
    admit: async ({ hook }, signal) => admit(hook, name, { options, limits }, signal),
    handle: async (task, signal) =>
      handleUnpaused(task, { ...options, queue, signal }, (left, delayMs) => {
        queue.setAside({ ...left, isAlone: true }, delayMs);
        return DONE;
      }),
    keysOf,
    anew: (task) => anew(task, Date.now()),
    onLength: lengthMetric(name, metrics),
  });
  return queue;
}

function byObject({ name, parallelism = 1 }: QueuePlace, options: TaskQueueOptions, limits: Limits): TaskQueue<Task> {
  const { metrics } = options;
  const queue: KeyedQueue<Task> = new KeyedQueue<Task>({
    name,
    parallelism,
    keyOf: (task) => keysOf(task)[0] ?? '',
    isBulk,
    merge: (waiting, next) => {
      metrics.queueCompactions.inc({ queue_name: name, hook: next.hook.name });
      return mergeTasks(waiting, next);
    },
    admit: async ({ hook }, signal) => admit(hook, name, { options, limits }, signal),
    // All triggers of a task are about one object, so at most one part of it is run again.
    handle: async (task, signal) =>
      handleUnpaused(task, { ...options, queue, signal }, (as, delayMs) => ({ type: 'again', as, delayMs })),
    onLength: lengthMetric(name, metrics),
  });
  return queue;
}

function lengthMetric(queue: string, metrics: Metrics): (length: number) => void {
  const series = metrics.tasksQueueLength.of({ queue });
  return (length) => {
    series.value = length;
  };
}

interface Handling extends TaskQueueOptions {
  readonly queue: TaskQueue<Task>;
  readonly signal: AbortSignal;
}

/** Has a part of the head wait for its next attempt while others go ahead; returns what becomes of the head. */
type SetAside = (left: Task, delayMs: number) => Verdict<Task>;

const DONE = { type: 'done' } as const;

/** Has what is not paused of a task run. */
async function handleUnpaused(task: Task, options: Handling, setAside: SetAside): Promise<Verdict<Task>> {
  const { gate } = options;
  const free = gate === undefined ? task : gate.take(task);
  return free === undefined ? DONE : handle(free, options, setAside);
}

async function handle(queued: Task, options: Handling, setAside: SetAside): Promise<Verdict<Task>> {
  const { unitOf, queue, journal, wishes, run: runTask = runInUnit } = options;
  const unit = unitOf(queued.hook);
  if (unit?.defer(queued) === true) return DONE;
  // An object that is gone by now needs no run.
  const task = unit?.living(queued);
  if (unit === undefined || task === undefined) {
    settle(queued, options);
    return DONE;
  }
  wishes.forget(task);
  const run = newRun(task, queue.name);
  const whole = interruptedBy(await runTask(run, options), task, options);
  const policy = { random: Math.random, nowMs: Date.now() };
  const outcome = countedOutcome(run, whole, policy.nowMs);
  const [first, ...others] = partsOf(task, outcome);
  const ended = (part: RunPart): EndedPart => endedPart(run, part, policy);
  const parts = [ended(first), ...others.map(ended)] as const;
  journal.record({ type: 'ended', run, outcome, next: afterRun(run, outcome, policy), parts });
  const verdicts = parts.map((part) => follow(part, unit, options, setAside));
  return verdicts.find(({ type }) => type !== 'done') ?? DONE;
}

function endedPart(run: Run, { task, outcome: said, isOwn }: RunPart, policy: RetryPolicy): EndedPart {
  const part = { ...run, task };
  const outcome = countedOutcome(part, said, policy.nowMs);
  const next = afterRun(part, outcome, policy);
  const isHead = next.type === 'retry' && next.at === 'head' && task.triggers[0].type !== 'onStartup';
  return { task, outcome, next: isOwn && isHead ? { ...next, at: 'later' } : next };
}

/**
 * A run that fails after its hook was changed, after the operator began to stop, or while its objects move to another
 * replica, counts as interrupted.
 */
function interruptedBy(outcome: RunOutcome, task: Task, { unitOf, signal }: Handling): RunOutcome {
  if (outcome.type !== 'failed' && outcome.type !== 'later') return outcome;
  const { cost } = outcome;
  const error = outcome.type === 'failed' ? outcome.error : new Error('its work could not be done yet');
  const what = { type: 'interrupted', error, ...(cost && { cost }) } as const;
  if (unitOf(task.hook) === undefined) return { ...what, by: 'reload' };
  if (signal.aborted && outcome.type === 'failed') return { ...what, by: 'shutdown' };
  return task.triggers.some(isMoved) ? { ...what, by: 'moved' } : outcome;
}

function follow(
  { task, outcome, next }: EndedPart,
  unit: HookUnit,
  options: Handling,
  setAside: SetAside,
): Verdict<Task> {
  switch (next.type) {
    case 'done':
      if (next.againInMs !== undefined) wish(task, outcome, next.againInMs, options);
      settle(task, options);
      return DONE;
    case 'drop':
    case 'dead':
    case 'answer':
      settle(task, options);
      return DONE;
    case 'keep':
      return next;
    case 'retry': {
      const again = retried(task, outcome, Date.now());
      if (next.at === 'head') return againAtHead(again, next.delayMs, options);
      if (!isSynchronization(task)) return setAside(again, next.delayMs);
      unit.retryLater(again, next.delayMs);
      return DONE;
    }
    default:
      return unreachable(next);
  }
}

/** What was paused while it ran does not block its queue until the next attempt. */
function againAtHead(task: Task, delayMs: number, { gate }: Handling): Verdict<Task> {
  const as = gate === undefined ? task : gate.take(task);
  return as === undefined ? DONE : { type: 'again', as, delayMs };
}

/** The hook asked to come again; of no effect where the object has another task already. */
function wish(task: Task, outcome: RunOutcome, againInMs: number, { wishes, queue }: Handling): void {
  const previous = outcome.type === 'succeeded' ? outcome.result?.output : undefined;
  for (const wished of wishesOf(task, previous)) {
    if (!queue.hasWaiting(wished)) wishes.set(wished, Date.now() + againInMs);
  }
}

function isSynchronization({ triggers }: Task): boolean {
  return triggers.some(({ type }) => type === 'synchronization');
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
  metrics.queueActed(queue, 'Compaction', (performance.now() - startedAt) / 1000);
  if (combined === tasks) return tasks;
  const known = new Set(tasks);
  const merged = combined.filter((task) => !known.has(task));
  for (const { hook } of merged) metrics.queueCompactions.inc({ queue_name: queue, hook: hook.name });
  return combined;
}

/** Waits until the queue is not paused, for the rate limit of the hook, and for a place where it is executed. */
async function admit(hook: Hook, queue: string, { options, limits }: Admission, signal: AbortSignal): Promise<void> {
  await options.gate?.admit(queue, signal);
  if (!signal.aborted) await limitOf(hook, limits)?.wait(signal);
  if (!signal.aborted) await options.room?.(hook, signal);
}

interface Admission {
  readonly options: Pick<TaskQueueOptions, 'gate' | 'room'>;
  readonly limits: Limits;
}

function limitOf(hook: Hook, limits: Limits): TokenBucket | undefined {
  const { executionMinIntervalMs: intervalMs = 0, executionBurst: burst = 1 } = hook.settings;
  if (intervalMs === 0) return undefined;
  const limit = limits.get(hook) ?? new TokenBucket({ intervalMs, burst });
  limits.set(hook, limit);
  return limit;
}
