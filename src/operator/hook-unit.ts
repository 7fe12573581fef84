import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { Hook, KubernetesBinding, ScheduleBinding } from '../hook/binding.ts';
import type { Task } from '../hook/task.ts';
import type { EventTrigger, QueuedTrigger, ScheduleTrigger, Snapshot } from '../hook/trigger.ts';
import { Channel } from '../lib/channel.ts';
import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import { sleep } from '../lib/sleep.ts';
import type { RunFacts } from '../hook/context.ts';
import type { HookSchedules } from '../sources/schedule/hook-schedules.ts';
import type { EndedOutcome } from '../sources/schedule/record.ts';
import { EventGate } from './event-gate.ts';
import { HeldEvents } from './held-events.ts';
import { OwnWrites, type Loop } from './own-writes.ts';

/** What a unit needs to know of a monitor. */
export interface UnitMonitor {
  run(signal: AbortSignal): Promise<void>;
  snapshot(): Snapshot;
  status(): MonitorStatus;
}

export interface MonitorStatus {
  readonly isSynced: boolean;
  /** Oldest contact over the watches of the binding; absent before the first. */
  readonly lastContactAtMs?: number | undefined;
  readonly problem?: string | undefined;
}

/** What a unit needs to know of its schedules. */
export type UnitSchedules = Pick<HookSchedules, 'run' | 'begin' | 'facts' | 'retry' | 'end' | 'schedules'>;

/** What the schedules tell their unit. */
export interface ScheduleEvents {
  readonly onTick: (trigger: ScheduleTrigger) => void;
  /** These runs give way to a newer one. */
  readonly onReplaced: (runIds: ReadonlySet<string>) => void;
}

/** What a monitor tells its unit. */
export interface MonitorEvents {
  onSynced(): void;
  onEvent(trigger: EventTrigger): void;
  onProblem(error: unknown): void;
}

export interface UnitOptions {
  readonly push: (queue: string, task: Task) => void;
  readonly createMonitor: (binding: KubernetesBinding, events: MonitorEvents) => UnitMonitor;
  readonly createSchedules: (bindings: readonly ScheduleBinding[], events: ScheduleEvents) => UnitSchedules;
  /** Ends runs of schedules, whether they wait or go on; each is a failure of its task. */
  readonly endRuns: (runIds: ReadonlySet<string>) => void;
  readonly now: () => number;
  /** Called once, when every Synchronization of the hook is done and its schedules run. */
  readonly onEnabled: () => void;
  readonly onProblem: (binding: KubernetesBinding, error: unknown) => void;
  /** An event does not run the hook now, and why. */
  readonly onEventHeld?: (trigger: EventTrigger, reason: string) => void;
}

interface Retry {
  readonly task: Task;
  readonly delayMs: number;
}

/** One loaded hook at work: its monitors, gates and schedules, and the Synchronizations it still owes. */
export class HookUnit {
  readonly hook: Hook;
  readonly #options: UnitOptions;
  readonly #monitors = new Map<KubernetesBinding, UnitMonitor>();
  readonly #gates = new Map<KubernetesBinding, EventGate>();
  readonly #unsynced = new Set<KubernetesBinding>();
  readonly #pending: KubernetesBinding[] = [];
  readonly #deferred: Task[] = [];
  readonly #schedules: UnitSchedules;
  readonly #replaced = new Set<string>();
  readonly #retries = new Channel<Retry>();
  readonly #ownWrites: OwnWrites;
  readonly #held = new HeldEvents((trigger) => this.#push(trigger.binding.queue, trigger));
  readonly #ended = new AbortController();
  readonly #synced = latch();
  readonly #settled = latch();
  readonly #enabled = latch();
  #isEnabled = false;

  constructor(hook: Hook, options: UnitOptions) {
    this.hook = hook;
    this.#options = options;
    this.#ownWrites = new OwnWrites(options.now);
    for (const binding of kubernetesBindings(hook)) {
      this.#unsynced.add(binding);
      this.#gates.set(binding, new EventGate((trigger) => this.#receive(trigger)));
      this.#monitors.set(binding, options.createMonitor(binding, this.#eventsOf(binding)));
    }
    if (this.#unsynced.size === 0) this.#synced.resolve();
    this.#schedules = options.createSchedules(scheduleBindings(hook), {
      onTick: (trigger) => this.#push(trigger.binding.queue, trigger),
      onReplaced: (runIds) => {
        for (const runId of runIds) this.#replaced.add(runId);
        options.endRuns(runIds);
      },
    });
  }

  /** Resolves when every binding has its initial state. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Resolves when every binding has its initial state, one of them met a problem, or the unit has ended. */
  get settled(): Promise<void> {
    return Promise.race([this.#synced.promise, this.#settled.promise]);
  }

  get isSynced(): boolean {
    return this.#unsynced.size === 0;
  }

  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return [...this.#monitors].map(([binding, monitor]) => [binding, monitor.status()]);
  }

  /** The objects of one binding now. */
  objects(binding: KubernetesBinding): Snapshot {
    return this.#monitors.get(binding)?.snapshot() ?? [];
  }

  /** One a schedule binding, in the order of the config. */
  get schedules(): UnitSchedules['schedules'] {
    return this.#schedules.schedules;
  }

  /** What the hook is told about a run of a schedule that has begun. */
  facts(trigger: ScheduleTrigger): RunFacts | undefined {
    return this.#schedules.facts(trigger);
  }

  /** Follows the cluster and the clock until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    signal.addEventListener('abort', () => this.#retries.close(), { once: true });
    const monitors = [...this.#monitors.values()].map(async (monitor) => monitor.run(signal));
    try {
      await Promise.all([...monitors, this.#runSchedules(signal), this.#runRetries(signal)]);
    } finally {
      this.#ended.abort();
      // Whoever waits for this hook's turn goes on to the next one.
      this.#settled.resolve();
    }
  }

  /** The hook's turn in the order at boot: queues its Synchronizations; its schedules start when they are done. */
  enable(): void {
    for (const [binding, gate] of this.#gates) {
      if (binding.executeHookOnSynchronization) this.#pending.push(binding);
      else gate.open();
    }
    for (const binding of this.#pending) this.#push('main', { type: 'synchronization', binding });
    this.#enableIfDone();
  }

  /** Takes a task that must wait for an earlier Synchronization of this hook which failed; it is queued again then. */
  defer(task: Task): boolean {
    const [first] = task.triggers;
    const place = first.type === 'synchronization' ? this.#pending.indexOf(first.binding) : -1;
    if (place < 1) return false;
    this.#deferred.push(task);
    return true;
  }

  /** To be called in the moment in which the contexts of `task` are read. */
  begin(task: Task): void {
    for (const binding of synchronizationsOf(task)) this.#gates.get(binding)?.hold();
    this.#schedules.begin(ticksOf(task));
  }

  /** Says what became of the task's ticks: they are over, or are run again. */
  settleTicks(task: Task, outcome: EndedOutcome | 'retry'): void {
    const ticks = ticksOf(task);
    for (const { run } of ticks) this.#replaced.delete(run.runId);
    if (outcome === 'retry') this.#schedules.retry(ticks);
    else this.#schedules.end(ticks, outcome);
  }

  /** Whether the task gave way to a newer run, so that its failure is none. */
  isReplaced(task: Task): boolean {
    return ticksOf(task).some(({ run }) => this.#replaced.has(run.runId));
  }

  /** Takes note of what a run of `task` wrote; returns the loop of the hook with itself that this goes on with. */
  wrote(task: Task, operation: PatchOperation, applied: AppliedOperation): Loop | undefined {
    return this.#ownWrites.note(task.triggers, operation, applied);
  }

  /** The task's run succeeded, or failed and was allowed to. */
  finish(task: Task): void {
    const done = synchronizationsOf(task);
    if (done.length === 0) return;
    for (const binding of done) {
      const index = this.#pending.indexOf(binding);
      if (index !== -1) this.#pending.splice(index, 1);
      this.#gates.get(binding)?.open();
    }
    for (const deferred of this.#deferred.splice(0)) this.#options.push('main', deferred);
    this.#enableIfDone();
  }

  /** Queues a failed Synchronization again after a delay, unless the hook is changed or removed before. */
  retryLater(task: Task, delayMs: number): void {
    this.#retries.push({ task, delayMs });
  }

  #eventsOf(binding: KubernetesBinding): MonitorEvents {
    return {
      onSynced: () => {
        this.#unsynced.delete(binding);
        if (this.#unsynced.size === 0) this.#synced.resolve();
      },
      onEvent: (trigger) => {
        const reason = this.#gates.get(binding)?.receive(trigger);
        if (reason !== undefined) this.#options.onEventHeld?.(trigger, reason);
      },
      onProblem: (error) => {
        this.#settled.resolve();
        this.#options.onProblem(binding, error);
      },
    };
  }

  #receive(trigger: EventTrigger): void {
    const delayMs = this.#ownWrites.delayOf(trigger);
    if (delayMs > 0)
      this.#options.onEventHeld?.(trigger, `the hook changes this object in a loop: held for ${delayMs} ms`);
    this.#held.receive(trigger, delayMs, this.#ended.signal);
  }

  #enableIfDone(): void {
    if (this.#pending.length > 0 || this.#isEnabled) return;
    this.#isEnabled = true;
    this.#enabled.resolve();
    this.#options.onEnabled();
  }

  #push(queue: string, trigger: QueuedTrigger): void {
    const allowFailure = trigger.type === 'onStartup' ? false : trigger.binding.allowFailure;
    const task: Task = {
      hook: this.hook,
      triggers: [trigger],
      allowFailure,
      queuedAtMs: this.#options.now(),
      failures: 0,
      ownFailures: 0,
    };
    this.#options.push(queue, task);
  }

  async #runSchedules(signal: AbortSignal): Promise<void> {
    if (this.#schedules.schedules.length === 0) return;
    await Promise.race([this.#enabled.promise, aborted(signal)]);
    if (!signal.aborted) await this.#schedules.run(signal);
  }

  async #runRetries(signal: AbortSignal): Promise<void> {
    for await (const { task, delayMs } of this.#retries) {
      await sleep(delayMs, signal);
      if (signal.aborted) return;
      this.#options.push('main', { ...task, queuedAtMs: this.#options.now() });
    }
  }
}

function kubernetesBindings(hook: Hook): readonly KubernetesBinding[] {
  return hook.bindings.filter((binding) => binding.type === 'kubernetes');
}

function scheduleBindings(hook: Hook): readonly ScheduleBinding[] {
  return hook.bindings.filter((binding) => binding.type === 'schedule');
}

function ticksOf({ triggers }: Task): readonly ScheduleTrigger[] {
  return triggers.filter((trigger) => trigger.type === 'schedule');
}

function synchronizationsOf(task: Task): readonly KubernetesBinding[] {
  return task.triggers.flatMap((trigger) => (trigger.type === 'synchronization' ? [trigger.binding] : []));
}
