import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { AskBinding } from '../hook/ask-binding.ts';
import type { Hook, KubernetesBinding, ScheduleBinding } from '../hook/binding.ts';
import type { ReconcileView } from '../hook/context-reconcile.ts';
import type { DebugSnapshot } from '../hook/debug-view.ts';
import { isDivided, isDividedHook } from '../hook/shard-rules.ts';
import type { OwnSlice } from '../hook/shard.ts';
import type { Task } from '../hook/task.ts';
import {
  isMoved,
  type Emit,
  type EventTrigger,
  type ReconcileTrigger,
  type Snapshot,
  type SynchronizationTrigger,
  type Trigger,
} from '../hook/trigger.ts';
import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import type { MonitorStatus } from '../sources/kubernetes/monitor.ts';
import type { HookSchedules } from '../sources/schedule/hook-schedules.ts';
import { EventPath } from './event-path.ts';
import type { EndStatusWrite, StatusPlace } from './own-status-writes.ts';
import type { Loop } from './own-writes.ts';
import { Reconcilers, type CreateReconciler, type UnitReconciler } from './reconcilers.ts';
import { Synchronizations, synchronizationsOf } from './synchronizations.ts';
import { UnitBindings, type UnitBindingsOptions } from './unit-bindings.ts';

/** The part of its hook's schedules that a unit uses. */
export type UnitSchedules = Pick<HookSchedules, 'run' | 'schedules'>;

export interface UnitOptions
  extends Pick<UnitBindingsOptions, 'createMonitor' | 'onProblem'>, Partial<Pick<UnitBindingsOptions, 'onSeen'>> {
  /** Makes a trigger of this hook a task in its queue. */
  readonly emit: Emit;
  /** Puts a task of this hook into the queue `main` again. */
  readonly requeue: (task: Task) => void;
  readonly createSchedules: (bindings: readonly ScheduleBinding[], emit: Emit) => UnitSchedules;
  readonly createReconciler: CreateReconciler;
  readonly now: () => number;
  /** Resolves when this replica holds slice 00; absent: objects are not divided. */
  readonly leading?: Promise<void> | undefined;
  /** Called once, when every Synchronization of the hook is done and its schedules start. */
  readonly onEnabled: () => void;
  /** An event does not run the hook now; `reason` is a phrase for the log. */
  readonly onEventHeld?: (trigger: EventTrigger, reason: string) => void;
}

/**
 * One loaded hook at work: its monitors, its schedules, and the Synchronizations that it still owes. It follows the
 * cluster from the start (`run`), is enabled when its turn at boot comes (`enable`), and starts its schedules when all
 * its Synchronizations are done. The runs call it around each attempt: `defer`, `begin`, then `finish` or `retryLater`.
 *
 * Where objects are divided, a hook with a divided binding works on every replica. What of it is not divided works once
 * this replica leads, which is when it holds slice 00: its schedules, and the events of bindings that are followed whole.
 */
export class HookUnit {
  readonly hook: Hook;
  readonly #options: UnitOptions;
  readonly #bindings: UnitBindings;
  readonly #reconcilers: Reconcilers;
  readonly #schedules: UnitSchedules;
  /** The Synchronizations of the hook that are not done. */
  readonly synchronizations: Synchronizations;
  readonly #events: EventPath;
  readonly #ended = new AbortController();
  readonly #synced = latch();
  readonly #settled = latch();
  readonly #enabled = latch();
  /** Whether the hook's turn at boot has come. */
  #isBooted = false;
  #isEnabled = false;
  #mayWork = false;

  constructor(hook: Hook, options: UnitOptions) {
    this.hook = hook;
    this.#options = options;
    this.#events = new EventPath({ ...options, ended: this.#ended.signal });
    this.synchronizations = new Synchronizations(options);
    const onSynced = (): void => this.#resolveSynced();
    const onProblem = (binding: KubernetesBinding, error: unknown): void => {
      this.#settled.resolve();
      options.onProblem(binding, error);
    };
    const { createMonitor, createReconciler: create, onEventHeld: onHeld = () => {} } = options;
    this.#bindings = new UnitBindings(hook, {
      createMonitor,
      onSynced,
      onProblem,
      onEvent: (trigger) => this.#events.receive(trigger),
      onSeen: (binding, change) => {
        if (this.#mayWork) options.onSeen?.(binding, change);
      },
      onHeld,
      onHandover: (binding, slice) => this.#owe([{ type: 'synchronization', binding, slice }]),
      onSliceListed: () => this.#reconcilers.checkSlices(),
      onGiven: (binding, slice) => this.synchronizations.given(binding, slice),
    });
    this.#reconcilers = new Reconcilers(hook, {
      create,
      onSynced,
      onProblem,
      hasListedBeside: ({ includeSnapshotsFrom }, slice) => this.#bindings.hasListed(includeSnapshotsFrom, slice),
    });
    this.#resolveSynced();
    const scheduled = hook.bindings.filter((binding) => binding.type === 'schedule');
    this.#schedules = options.createSchedules(scheduled, options.emit);
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
    return this.#bindings.isSynced && this.#reconcilers.isSynced;
  }

  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  statuses(): readonly (readonly [KubernetesBinding, MonitorStatus])[] {
    return [...this.#bindings.statuses(), ...this.#reconcilers.statuses()];
  }

  /** What a Reconcile context shows now; undefined when the object is gone. */
  view(trigger: ReconcileTrigger): ReconcileView | undefined {
    return this.#reconcilers.of(trigger)?.view(trigger);
  }

  /** Looks at objects of reconcile bindings again; returns at how many. */
  lookAgain(binding?: string, place?: Pick<ReconcileTrigger, 'namespace' | 'name'>): number {
    return this.#reconcilers.lookAgain(binding, place);
  }

  /** The reconciler of a binding; undefined for a binding of another hook. */
  reconciler(trigger: ReconcileTrigger): UnitReconciler | undefined {
    return this.#reconcilers.of(trigger);
  }

  /** The task with those of its triggers that have still something to run for; undefined when none has. */
  living(task: Task): Task | undefined {
    const isMoot = (trigger: Trigger): boolean => isMoved(trigger) || this.#reconcilers.isMoot(trigger);
    const [first, ...others] = task.triggers.filter((trigger) => !isMoot(trigger));
    if (first === undefined) return undefined;
    return others.length + 1 === task.triggers.length ? task : { ...task, triggers: [first, ...others] };
  }

  /** The snapshot of one binding now; with `slice` what of it is in that slice. */
  objects(binding: KubernetesBinding, slice?: OwnSlice): Snapshot {
    return this.#bindings.objects(binding, slice);
  }

  /** Resolves when the first list of a binding is complete; undefined when it is. */
  listing(binding: KubernetesBinding): Promise<void> | undefined {
    return this.#bindings.listing(binding);
  }

  /** Whether the snapshot of a binding shows all that it is to show; with `slice` of that slice. */
  hasListed(binding: KubernetesBinding, slice?: OwnSlice): boolean {
    const isListed = this.#bindings.listing(binding) === undefined;
    return isListed && (slice === undefined || this.#bindings.hasListed([binding.name], slice));
  }

  /** The snapshots of all kubernetes bindings, for the debug API. */
  snapshots(): readonly DebugSnapshot[] {
    return this.#bindings.snapshots();
  }

  /** The children of an object of a reconcile binding, as JSON in UTF-8. */
  childrenOf(binding: string, place: StatusPlace): readonly Uint8Array[] {
    return this.#reconcilers.named(binding)?.children(place) ?? [];
  }

  /** One for each schedule binding, in the order of the config. */
  get schedules(): UnitSchedules['schedules'] {
    return this.#schedules.schedules;
  }

  /** Whether all objects are known that the context of a request shows. */
  isKnown(binding: AskBinding): boolean {
    return this.#bindings.isKnown(binding);
  }

  /** Resolves when all objects are known that the context of a request shows; rejects when `signal` aborts. */
  async known(binding: AskBinding, signal: AbortSignal): Promise<void> {
    await this.#bindings.known(binding, signal);
  }

  /**
   * Follows the cluster and the clock until `signal` aborts: what requests show from the beginning, everything else once
   * `mayWork` resolves, as on the leader. Until then nothing is emitted.
   */
  async run(signal: AbortSignal, mayWork: Promise<void> = Promise.resolve()): Promise<void> {
    if (signal.aborted) return;
    try {
      await Promise.all([this.#bindings.runShown(signal), this.#work(mayWork, signal)]);
    } finally {
      this.#ended.abort();
      // `boot` may be waiting for this unit, and must go on to the next one.
      this.#settled.resolve();
    }
  }

  async #work(mayWork: Promise<void>, signal: AbortSignal): Promise<void> {
    await Promise.race([mayWork, aborted(signal)]);
    if (signal.aborted) return;
    this.#mayWork = true;
    await Promise.all([
      this.#bindings.runOthers(signal),
      this.#reconcilers.run(signal),
      this.#runSchedules(signal),
      this.synchronizations.run(signal),
    ]);
  }

  /** The hook's turn at boot: queues its Synchronizations. Its schedules start when these are done. */
  enable(): void {
    if (this.#isBooted) return;
    this.#isBooted = true;
    const { leading } = this.#options;
    const isShared = leading !== undefined && isDividedHook(this.hook);
    this.#enableBindings((binding) => !isShared || isDivided(binding));
    this.#enableIfDone();
    if (isShared) void leading.then(() => this.#lead());
  }

  /** Enables what of a hook with divided bindings is not divided. */
  #lead(): void {
    if (!this.#ended.signal.aborted) this.#enableBindings((binding) => !isDivided(binding));
  }

  #enableBindings(isMeant: (binding: KubernetesBinding) => boolean): void {
    this.#owe(this.#bindings.enable(isMeant).map((binding) => ({ type: 'synchronization', binding })));
  }

  #owe(triggers: readonly SynchronizationTrigger[]): void {
    for (const trigger of triggers) this.synchronizations.owe(trigger);
    for (const trigger of triggers) this.#options.emit(trigger);
  }

  /**
   * Returns true for a task that must wait: for an earlier Synchronization of this hook which failed, or for a kind
   * that its reconcile binding needs and the API server lacks. The task is taken, and queued again when it may run.
   */
  defer(task: Task): boolean {
    return this.#reconcilers.hold(task) || this.synchronizations.defer(task);
  }

  /** Must be called in the same turn of the event loop in which the binding contexts of `task` are read. */
  begin(task: Task): void {
    this.#bindings.begin(synchronizationsOf(task));
  }

  /** The task's run succeeded, or failed with `allowFailure`. */
  finish(task: Task): void {
    const done = synchronizationsOf(task);
    if (done.length === 0) return;
    this.#bindings.finish(done);
    this.synchronizations.finish(done);
    this.#enableIfDone();
  }

  /** The task is dead: no further attempt helps until its objects change. */
  giveUp(task: Task): void {
    this.#reconcilers.giveUp(task);
  }

  /** Queues a failed Synchronization again after `delayMs`, unless the unit ends before. */
  retryLater(task: Task, delayMs: number): void {
    this.#bindings.fail(synchronizationsOf(task));
    this.synchronizations.retryLater(task, delayMs);
  }

  /** Resolves when nothing is done any more for objects of slices that were given; when `signal` aborts, it is ended. */
  async quiet(signal: AbortSignal): Promise<void> {
    await this.#reconcilers.quiet(signal);
  }

  /** Records an applied operation of a run of `task`; returns the hook's loop that the write continues, if any. */
  wrote(task: Task, operation: PatchOperation, applied: AppliedOperation): Loop | undefined {
    return this.#events.wrote(task, operation, applied);
  }

  /**
   * The status of an object is written for a run of this hook: its events wait until the returned function is called,
   * and the event of that write does not run the hook.
   */
  beginStatusWrite(place: StatusPlace): EndStatusWrite {
    return this.#events.beginStatusWrite(place);
  }

  #resolveSynced(): void {
    if (this.isSynced) this.#synced.resolve();
  }

  #enableIfDone(): void {
    if (!this.synchronizations.isDone || this.#isEnabled) return;
    this.#isEnabled = true;
    this.#enabled.resolve();
    this.#reconcilers.enable();
    this.#options.onEnabled();
  }

  async #runSchedules(signal: AbortSignal): Promise<void> {
    if (this.#schedules.schedules.length === 0) return;
    await Promise.race([Promise.all([this.#enabled.promise, this.#options.leading]), aborted(signal)]);
    if (!signal.aborted) await this.#schedules.run(signal);
  }
}
