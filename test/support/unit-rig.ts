import type { Hook, KubernetesBinding, ScheduleBinding } from '../../src/hook/binding.ts';
import { newTask, queueOf, type Task } from '../../src/hook/task.ts';
import type { Emit, EventTrigger, Snapshot, Trigger } from '../../src/hook/trigger.ts';
import { aborted } from '../../src/lib/aborted.ts';
import type { MonitorListener } from '../../src/sources/kubernetes/monitor.ts';
import { HookUnit } from '../../src/units/hook-unit.ts';
import type { CreateReconciler } from '../../src/units/reconcilers.ts';
import { hookWith } from './bindings.ts';
import { idleSchedules } from './idle-schedule.ts';
import { noReconciler } from './no-reconciler.ts';

/** An event of a binding, about an object called `name`. */
export function eventOf(binding: KubernetesBinding, name: string): EventTrigger {
  return { type: 'event', binding, watchEvent: 'Added', item: { namespace: 'default', name } };
}

/** A task as a unit would queue it. */
export function taskOf(hook: Hook, trigger: Trigger, fields: Partial<Task> = {}): Task {
  return {
    hook,
    triggers: [trigger],
    allowFailure: false,
    queuedAtMs: 0,
    failures: 0,
    ownFailures: 0,
    sinceMs: 0,
    ...fields,
  };
}

/** Describes a task: `Synchronization pods`, `pods/web`, `every-minute`. */
export function describeTask({ triggers }: Task): string {
  return triggers.map(describeTrigger).join(' + ');
}

/** A unit with monitors and a clock that the test controls. */
export function unitRig(name: string, bindings: Hook['bindings'], createReconciler: CreateReconciler = noReconciler) {
  const monitors = new Map<KubernetesBinding, MonitorListener>();
  const schedules: { readonly bindings: readonly ScheduleBinding[]; readonly emit: Emit }[] = [];
  const tasks: { readonly queue: string; readonly task: Task }[] = [];
  const told: string[] = [];
  const snapshots = new Map<KubernetesBinding, Snapshot>();
  const controller = new AbortController();
  const hook = hookWith(name, bindings);
  const unit = new HookUnit(hook, {
    emit: (trigger) =>
      void tasks.push({ queue: queueOf(hook, trigger).name, task: newTask(hook, trigger, Date.now()) }),
    requeue: (task) => void tasks.push({ queue: 'main', task }),
    createReconciler,
    createMonitor: (binding, listener) => {
      monitors.set(binding, listener);
      return {
        run: aborted,
        snapshot: () => snapshots.get(binding) ?? [],
        status: () => ({ isSynced: true }),
      };
    },
    createSchedules: (started, emit) => ({
      schedules: idleSchedules(name, started),
      run: async (signal) => {
        schedules.push({ bindings: started, emit });
        await aborted(signal);
      },
    }),
    now: Date.now,
    onEnabled: () => void told.push('enabled'),
    onProblem: (binding, error) => void told.push(`${binding.name}: ${String(error)}`),
  });
  const monitor = (binding: KubernetesBinding): MonitorListener => {
    const found = monitors.get(binding);
    if (found === undefined) throw new Error(`no monitor for ${binding.name}`);
    return found;
  };
  const ended = unit.run(controller.signal);
  return {
    hook,
    unit,
    told,
    schedules,
    /** Reports an event of a binding, as its monitor would. */
    event: (binding: KubernetesBinding, object: string) => monitor(binding).event(eventOf(binding, object)),
    /** Reports the first lists of the bindings. */
    sync: (...synced: readonly KubernetesBinding[]) => {
      for (const binding of synced) monitor(binding).synced();
    },
    /** The hook's turn at boot, when all its bindings have their first lists. */
    enable: () => {
      for (const listener of monitors.values()) listener.synced();
      unit.enable();
    },
    problem: (binding: KubernetesBinding, text: string) => monitor(binding).problem(text),
    setSnapshot: (binding: KubernetesBinding, snapshot: Snapshot) => void snapshots.set(binding, snapshot),
    /** The tasks queued since the last call, as text such as `main: Synchronization pods`. */
    queued: (): readonly string[] => tasks.splice(0).map(({ queue, task }) => `${queue}: ${describeTask(task)}`),
    /** The tasks queued since the last call. */
    takeTasks: (): readonly Task[] => tasks.splice(0).map(({ task }) => task),
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}

export type UnitRig = ReturnType<typeof unitRig>;

function describeTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case 'onStartup':
      return 'onStartup';
    case 'synchronization':
      return `Synchronization ${trigger.binding.name}`;
    case 'schedule':
      return trigger.binding.name;
    case 'ask':
      return trigger.contextType;
    case 'http':
      return `Http ${trigger.runId}`;
    case 'reconcile':
      return `Reconcile ${trigger.name}`;
    case 'event':
      return `${trigger.binding.name}/${trigger.item.name}`;
  }
}
