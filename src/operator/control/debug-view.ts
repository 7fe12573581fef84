import { groupOf } from '../../hook/combine.ts';
import type { DebugQueue, DebugView, RuntimeConfig } from '../../hook/debug-view.ts';
import { objectQueueName, type Task } from '../../hook/task.ts';
import type { Trigger } from '../../hook/trigger.ts';
import { shownText } from '../../lib/shown.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';
import type { RunHistory } from '../../run/history.ts';
import { bindingOf } from '../../run/run-reason.ts';
import type { HookUnit } from '../../units/hook-unit.ts';

export interface DebugViewOptions {
  readonly units: () => readonly Pick<HookUnit, 'hook' | 'snapshots'>[];
  readonly queues: () => readonly TaskQueue<Task>[];
  readonly history: Pick<RunHistory, 'list'>;
  readonly config: RuntimeConfig;
}

/** Limit of the tasks that are shown of a queue; their number is that of all. */
const MAX_TASKS = 1000;
const MAX_MESSAGE_CHARS = 500;

/** What the debug API of shell-operator shows. A queue that no task came to yet is one of those that are empty. */
export function createDebugView({ units, queues, history, config }: DebugViewOptions): DebugView {
  const startedAtMs = Date.now();
  const idle = (name: string): DebugQueue => {
    const seconds = Math.floor((Date.now() - startedAtMs) / 1000);
    return { name, length: 0, status: `waiting for task ${seconds}s`, tasks: [] };
  };
  return {
    queues() {
      const shown = queues().map((queue) => debugQueue(queue, history));
      const names = new Set(shown.map(({ name }) => name));
      const others = new Set(['main', ...units().flatMap(({ hook }) => queueNames(hook))]);
      return [...shown, ...[...others].filter((name) => !names.has(name)).map(idle)];
    },
    hooks: () => units().map(({ hook }) => hook.name),
    snapshots: (name) =>
      units()
        .find(({ hook }) => hook.name === name)
        ?.snapshots(),
    config,
  };
}

function queueNames(hook: HookUnit['hook']): readonly string[] {
  return hook.bindings.flatMap((binding) => {
    if (binding.type === 'onStartup') return [];
    const isByObject = binding.type === 'reconcile' || ('parallelism' in binding && binding.concurrency === 'byObject');
    if (isByObject) return [objectQueueName(hook, binding)];
    return 'queue' in binding ? [binding.queue] : [];
  });
}

function debugQueue(queue: TaskQueue<Task>, history: Pick<RunHistory, 'list'>): DebugQueue {
  const { name, length, status } = queue;
  const tasks = queue.tasks.slice(0, MAX_TASKS).map((task) => descriptionOf(name, task, history));
  return { name, length, status, tasks };
}

/** A task in the words of shell-operator, such as `HookRun:main:kubernetes:a.sh:pods:failures 2:…`. */
function descriptionOf(queue: string, task: Task, history: Pick<RunHistory, 'list'>): string {
  const { hook, triggers, failures } = task;
  const [trigger] = triggers;
  const binding = bindingOf(task);
  const group = groupOf(trigger);
  return [
    'HookRun',
    queue,
    bindingTypeOf(trigger),
    hook.name,
    ...(group === undefined ? [] : [`group=${group}`]),
    ...(binding === '' ? [] : [binding]),
    ...(failures === 0 ? [] : [`failures ${failures}`, ...failureOf(task, history)]),
  ].join(':');
}

/** The name of the part of the config that the binding is in. */
function bindingTypeOf(trigger: Trigger): string {
  return trigger.type === 'ask' ? trigger.contextType : trigger.binding.type;
}

/** Why the last attempt failed, where that is remembered. */
function failureOf(task: Task, history: Pick<RunHistory, 'list'>): readonly string[] {
  const { runs } = history.list({ hook: task.hook.name, isFailed: true, limit: 20 });
  const error = runs.find(({ binding }) => binding === bindingOf(task))?.error;
  if (error === undefined) return [];
  const { name } = task.hook;
  const beginning = `hook ${name} failed: `;
  const why = error.startsWith(beginning) ? error.slice(beginning.length) : error;
  return [`${name} FAILED: ${shownText(why, MAX_MESSAGE_CHARS)}`];
}
