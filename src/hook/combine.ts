import { unreachable } from '../lib/unreachable.ts';
import type { Task } from './task.ts';
import type { ScheduleTrigger, Trigger } from './trigger.ts';

const LONG_QUEUE = 100;

/**
 * Merges tasks of a queue that one run can serve: neighbours of the same hook and `allowFailure`; in a queue of more
 * than 100 tasks also all tasks of a hook that has 100 or more. A merged task stands where its first one stood and keeps that one's
 * `allowFailure`, `failures` and `queuedAtMs`. Triggers of a hook keep their order, and none is lost but those that a
 * neighbour of the same group stands for. onStartup and ungrouped Synchronizations stay alone, and no later task of their
 * hook passes them. Returns `tasks` itself when there is nothing to merge.
 */
export function combineTasks(tasks: readonly Task[]): readonly Task[] {
  const combined = combineNeighbours(tasks);
  return combined.length > LONG_QUEUE ? combineNeighbours(combineFrequent(combined)) : combined;
}

/** Leaves only the last of adjacent triggers with the same group: each would get the same snapshots. */
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

function combineNeighbours(tasks: readonly Task[]): readonly Task[] {
  // Most often there is nothing to do, in a queue that may be long.
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
    // What comes after a task that stays alone must not be merged into one before it.
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

/** A task that others are merged into; `triggers` exists once there were any. */
interface Merge {
  readonly first: Task;
  triggers?: [Trigger, ...Trigger[]];
}

function append(merge: Merge, { triggers }: Task): void {
  const merged = (merge.triggers ??= copyOf(merge.first.triggers));
  for (const trigger of triggers) {
    for (let last = merged.at(-1); last !== undefined && isReplaced(last, trigger); last = merged.at(-1)) merged.pop();
    merged.push(trigger);
  }
}

function copyOf([head, ...rest]: Task['triggers']): [Trigger, ...Trigger[]] {
  return [head, ...rest];
}

function toTask({ first, triggers }: Merge): Task {
  return triggers === undefined ? first : { ...first, triggers };
}

/** A task that may fail and be dropped must not take one along that is to be retried. */
function canJoin(first: Task, task: Task): boolean {
  if (first.hook !== task.hook || first.allowFailure !== task.allowFailure) return false;
  // A Synchronization that fails is queued again behind the others: events must not go with it.
  if (isSynchronization(first) !== isSynchronization(task)) return false;
  return isMergeable(first) && isMergeable(task);
}

function isSynchronization({ triggers: [trigger] }: Task): boolean {
  return trigger.type === 'synchronization';
}

function isMergeable({ triggers: [trigger] }: Task): boolean {
  switch (trigger.type) {
    case 'onStartup':
    case 'ask':
      return false;
    case 'synchronization':
      return trigger.binding.group !== undefined;
    case 'schedule':
      // One that is ended for a newer one must not take others along.
      return trigger.binding.concurrency !== 'replace';
    case 'event':
      return true;
    default:
      return unreachable(trigger);
  }
}

/**
 * A Synchronization stays in the task, so that its success is known for each binding, and so does a tick, unless a later
 * one of its binding stands for it; their contexts are compacted.
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
