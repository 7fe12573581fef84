import { unreachable } from '../lib/unreachable.ts';
import type { HookLock } from './binding.ts';
import { asV0 } from './context-v0.ts';
import { anew } from './merge.ts';
import { objectKeyOf } from './object-key.ts';
import { lockOf, type Task } from './task.ts';
import type { ScheduleTrigger, Trigger } from './trigger.ts';

const LONG_QUEUE = 100;

/**
 * Combining: one run of a hook serves several tasks that wait in the same queue, so that a burst of events costs one
 * start of a process. A queue calls `combineTasks` with its waiting tasks before an attempt, whenever tasks were added.
 *
 * Merged are adjacent tasks of the same hook with the same `allowFailure` and the same lock; in a queue of more than 100 tasks also all
 * tasks of any hook that has 100 or more there, adjacent or not. A merged task takes the position of its first task and
 * keeps that task's `allowFailure`, `failures` and `queuedAtMs`; with a retry rule, the attempts begin anew when another
 * task is about the same object.
 *
 * What must hold: the triggers of a hook keep their order. A trigger is dropped only if the next one is of the same
 * group and so gets the same snapshots. onStartup and ask tasks, ungrouped Synchronizations but those of slices, tasks of
 * configs without `configVersion`, ticks with `concurrency: replace`, and tasks that waited aside, are never merged, and
 * no later task of their hook is moved ahead of them.
 *
 * Returns `tasks` itself when there is nothing to merge.
 */
export function combineTasks(tasks: readonly Task[]): readonly Task[] {
  const combined = combineNeighbors(tasks);
  return combined.length > LONG_QUEUE ? combineNeighbors(combineFrequent(combined)) : combined;
}

/** Keeps only the last of adjacent triggers of the same group, since all of them would get the same snapshots. */
export function compactGroups(triggers: readonly Trigger[]): readonly Trigger[] {
  return triggers.filter((trigger, index) => {
    const next = triggers[index + 1];
    return next === undefined || !isSameGroup(trigger, next);
  });
}

/** The group of the trigger's binding; `undefined` when it has none. */
export function groupOf(trigger: Trigger): string | undefined {
  return 'group' in trigger.binding ? trigger.binding.group : undefined;
}

function combineNeighbors(tasks: readonly Task[]): readonly Task[] {
  // The common case is that there is nothing to merge, in a queue that may be long: return without copying it.
  if (!tasks.some((task, index) => isJoined(tasks[index - 1], task))) return tasks;
  const merges: Merge[] = [];
  for (const task of tasks) {
    const last = merges.at(-1);
    if (last !== undefined && canJoin(last.first, task)) {
      append(last, task);
    } else {
      merges.push({ first: task });
    }
  }
  return merges.map(toTask);
}

function isJoined(previous: Task | undefined, task: Task): boolean {
  return previous !== undefined && canJoin(previous, task);
}

function combineFrequent(tasks: readonly Task[]): readonly Task[] {
  const frequent = frequentHooks(tasks);
  if (frequent.size === 0) return tasks;
  const merges: Merge[] = [];
  const open = new Map<Task['hook'], Merge>();
  for (const task of tasks) {
    const target = open.get(task.hook);
    if (target !== undefined && canJoin(target.first, task)) {
      append(target, task);
      continue;
    }
    const merge = { first: task };
    merges.push(merge);
    // A later task must not be merged into one that is ahead of a task that stays alone.
    if (frequent.has(task.hook) && isMergeable(task)) open.set(task.hook, merge);
    else open.delete(task.hook);
  }
  return merges.length === tasks.length ? tasks : merges.map(toTask);
}

function frequentHooks(tasks: readonly Task[]): ReadonlySet<Task['hook']> {
  const counts = new Map<Task['hook'], number>();
  for (const { hook } of tasks) counts.set(hook, (counts.get(hook) ?? 0) + 1);
  return new Set([...counts].flatMap(([hook, count]) => (count >= LONG_QUEUE ? [hook] : [])));
}

/** A task and the triggers of all tasks merged into it; `triggers` is absent while none were. */
interface Merge {
  readonly first: Task;
  triggers?: [Trigger, ...Trigger[]];
  /** When something happened that lets the attempts at the first task begin anew. */
  anewSinceMs?: number;
}

function append(merge: Merge, task: Task): void {
  const { triggers } = task;
  if (startsAnew(merge.first, task)) merge.anewSinceMs = task.sinceMs;
  const merged = (merge.triggers ??= copyOf(merge.first.triggers));
  for (const trigger of triggers) {
    for (let last = merged.at(-1); last !== undefined && isReplaced(last, trigger); last = merged.at(-1)) merged.pop();
    merged.push(trigger);
  }
}

function copyOf([head, ...rest]: Task['triggers']): [Trigger, ...Trigger[]] {
  return [head, ...rest];
}

function toTask({ first, triggers, anewSinceMs }: Merge): Task {
  if (triggers === undefined) return first;
  const merged = { ...first, triggers };
  return anewSinceMs === undefined ? merged : anew(merged, anewSinceMs);
}

/** With a retry rule, a task that failed starts anew when something happens to one of its objects. */
function startsAnew(first: Task, { triggers }: Task): boolean {
  const isRuled = 'retry' in first.triggers[0].binding && first.triggers[0].binding.retry !== undefined;
  if (!isRuled || first.failures === 0) return false;
  const keys = new Set(first.triggers.map(objectKeyOf).filter((key) => key !== undefined));
  return triggers.some((trigger) => keys.has(objectKeyOf(trigger) ?? ''));
}

/** A failed task with `allowFailure` is dropped, so it must not contain triggers of a task that is retried. */
function canJoin(first: Task, task: Task): boolean {
  if (first.hook !== task.hook || first.allowFailure !== task.allowFailure) return false;
  // A failed Synchronization is queued again behind the other tasks: events must not move there with it.
  if (isSynchronization(first) !== isSynchronization(task)) return false;
  return isMergeable(first) && isMergeable(task) && isSameLock(lockOf(first), lockOf(task));
}

function isSameLock(lock: HookLock | undefined, other: HookLock | undefined): boolean {
  return lock?.name === other?.name && lock?.namespace === other?.namespace;
}

function isSynchronization({ triggers: [trigger] }: Task): boolean {
  return trigger.type === 'synchronization';
}

function isMergeable({ triggers: [trigger], isAlone = false }: Task): boolean {
  return !isAlone && asV0(trigger) === undefined && canShareRun(trigger);
}

function canShareRun(trigger: Trigger): boolean {
  switch (trigger.type) {
    case 'onStartup':
    case 'ask':
    case 'reconcile':
      return false;
    case 'synchronization':
      // A replica that gets many slices at once would have a run for each.
      return trigger.binding.group !== undefined || trigger.slice !== undefined;
    case 'schedule':
      // A newer tick ends this run, which must not end the triggers of other bindings with it.
      return trigger.binding.concurrency !== 'replace';
    case 'event':
    case 'http':
      return true;
    default:
      return unreachable(trigger);
  }
}

/**
 * Whether `next` makes `trigger` superfluous. A Synchronization stays in the task even then, because its success is
 * recorded for each binding; so does a tick, unless `next` is a tick of the same binding. `compactGroups` leaves out
 * their contexts.
 */
function isReplaced(trigger: Trigger, next: Trigger): boolean {
  if (!isSameGroup(trigger, next)) return false;
  return trigger.type === 'event' || (trigger.type === 'schedule' && isTickOf(trigger, next));
}

function isTickOf({ binding }: ScheduleTrigger, next: Trigger): boolean {
  return next.type === 'schedule' && next.binding === binding;
}

function isSameGroup(trigger: Trigger, next: Trigger): boolean {
  const group = groupOf(trigger);
  return group !== undefined && group === groupOf(next);
}
