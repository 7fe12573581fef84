import type { Hook } from '../../hook/binding.ts';
import type { FactsReader } from '../../hook/context.ts';
import { newTask, queueOf, type QueuePlace, type Task } from '../../hook/task.ts';
import { mayShow } from '../../hook/shard-rules.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import { isMoved, type QueuedTrigger, type ScheduleTrigger } from '../../hook/trigger.ts';
import { aborted } from '../../lib/aborted.ts';
import { runAll } from '../../lib/run-all.ts';
import { sleep } from '../../lib/sleep.ts';
import type { LeaderElection } from '../../kube/coordination/leader-election.ts';
import { Queues } from '../../queue/queues.ts';
import type { TaskQueue } from '../../queue/task-queue.ts';
import { AskedRuns, type Ask } from '../../run/asked-runs.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { Run, RunOutcome } from '../../run/run.ts';
import type { RunTraces } from '../../run/run-traces.ts';
import type { Executor } from '../../runner/executor.ts';
import type { RunLocks } from '../locks/run-locks.ts';
import { countWaiting, waitingTasks, type WaitingPlaces, type WaitingTasks } from '../locks/waiting-tasks.ts';
import { DroppedTasks } from './dropped-tasks.ts';
import { EndableRuns, isForRun } from './endable-runs.ts';
import { openJournal, type OpenJournalOptions } from './open-journal.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { PauseGate } from '../pause/pause-gate.ts';
import { holdOf, holdOfTask, type QueueHold } from '../queues/queue-holds.ts';
import { openRunEffects, type RunEffectsOptions } from './run-effects.ts';
import { runInUnit } from './run-in-unit.ts';
import { underLeadership } from './under-leadership.ts';
import { createQueueFactory, type TaskQueueOptions } from '../queues/task-queue.ts';
import { Wishes } from '../queues/wishes.ts';

export interface RunsOptions extends OpenJournalOptions, RunEffectsOptions {
  readonly executor: Pick<Executor, 'execute'>;
  /** Makes a trace of each run; absent: there are none. */
  readonly traces?: Pick<RunTraces, 'traceparentOf'> | undefined;
  /** The units of all hooks, whose Synchronizations may wait outside of the queues; absent: none. */
  readonly units?: WaitingPlaces['units'];
  /** Called with the hook of each onStartup task that is finished. */
  readonly onStarted: (hook: Hook) => void;
  /** From the abort of the signal of `run` until running hooks are ended. */
  readonly gracePeriodMs: number;
  /** When its `lost` aborts, another replica may lead: running hooks are ended without the grace period. */
  readonly leadership?: Pick<LeaderElection, 'lost' | 'check'> | undefined;
  /** Where triggers wait that are paused. */
  readonly gate?: PauseGate | undefined;
  /** Waits until a run of a hook can begin where it is executed; absent: it can at once. */
  readonly room?: TaskQueueOptions['room'];
  /** Opens the locks of hooks; absent: bindings with a lock run without it. */
  readonly openLocks?: ((waiting: WaitingTasks) => RunLocks) | undefined;
  /** Resolves when the last request of a caller has ended, once the operator stops; absent: no requests are waited for. */
  readonly unasked?: Promise<void> | undefined;
}

/** A run whose hook was changed or removed may take this long to end by itself. */
const CHANGED_LIMIT_MS = 10_000;

/**
 * All runs of the operator: tasks in queues, and asks outside them. Units, schedules and `boot` call `emit`, which
 * makes a trigger a task; a queue runs the task when its turn comes, and `afterRun` decides what happens next.
 * Everything that happens to a task or run is recorded in one journal, whose subscribers write the log, metrics,
 * Events, the records of schedules, and the own writes of hooks.
 *
 * Tasks leave a queue without a run when a newer run of their schedule replaces them (`replace`), or when their hook
 * was changed or removed (`endGone`, which the operator calls after each reload), or their objects moved to another
 * replica (`moved`).
 *
 * When the signal of `run` aborts, no further task is started. Running hooks may finish within the grace period; then,
 * or immediately when the lease is lost, they are ended. When the last task has ended, asks are refused, and `run`
 * resolves after the last of them.
 */
export class Runs {
  readonly #options: RunsOptions;
  readonly #journal: RunJournal;
  readonly #queues: Queues<Task>;
  readonly #asked: AskedRuns;
  readonly #wishes: Wishes;
  readonly #locks: RunLocks | undefined;
  readonly #dropped: DroppedTasks;
  readonly #endable = new EndableRuns();
  /** Aborts when the grace period is over, which ends running hooks. */
  readonly #terminate = new AbortController();

  constructor(options: RunsOptions) {
    this.#options = options;
    const journal = openJournal(options);
    this.#journal = journal;
    const { scheduledRuns } = options;
    const facts: FactsReader = (trigger) => scheduledRuns.facts(trigger);
    const wishes = new Wishes(
      (task, trigger) => this.#push(queueOf(task.hook, trigger), task),
      ({ hook, trigger }) => currentTrigger(trigger, options.unitOf(hook)),
    );
    this.#wishes = wishes;
    const places = { queues: () => this.queues, units: options.units ?? (() => []) };
    const locks = options.openLocks?.(waitingTasks(places));
    this.#locks = locks;
    options.metrics.beforeRead.add(() => countWaiting(places, options.metrics));
    const runOptions = {
      ...options,
      wishes,
      journal,
      facts,
      ...openRunEffects(options, journal),
      traceparentOf: options.traces?.traceparentOf,
      endable: this.#endable,
      locks,
      ...underLeadership({ executor: options.executor, terminate: this.#terminate.signal }, options.leadership),
    };
    this.#queues = new Queues(createQueueFactory(runOptions));
    this.#dropped = new DroppedTasks({ queues: () => this.queues, gate: options.gate, journal });
    const run = async (asked: Run, signal: AbortSignal): Promise<RunOutcome> => runInUnit(asked, runOptions, signal);
    this.#asked = new AskedRuns({ run, journal, now: Date.now });
  }

  get queues(): readonly TaskQueue<Task>[] {
    return this.#queues.all;
  }

  /** The number of tasks in all queues. */
  get queued(): number {
    return this.queues.reduce((sum, { length }) => sum + length, 0);
  }

  /** Makes a trigger of a hook a task in the queue of the trigger, unless it is paused. */
  emit(hook: Hook, trigger: QueuedTrigger): void {
    if (this.#options.gate?.hold(hook, trigger) !== true) this.push(hook, trigger);
  }

  /** As `emit`, for a trigger that is not paused. */
  push(hook: Hook, trigger: QueuedTrigger): void {
    this.#push(queueOf(hook, trigger), newTask(hook, trigger, Date.now()));
  }

  /** Queues a Synchronization again, in the queue `main`. */
  requeue(task: Task): void {
    this.#push({ name: 'main' }, task);
  }

  /** Takes waiting tasks that are paused out of their queues. */
  setAside(): void {
    const { gate } = this.#options;
    if (gate === undefined) return;
    const aside = this.#queues.all.flatMap((queue) => queue.drop((task) => gate.isWholePaused(task)));
    for (const task of aside) gate.take(task);
  }

  /** A tick that waited for the end of a pause is left out for a later one. */
  leaveOut(hook: Hook, tick: ScheduleTrigger): void {
    this.#dropped.record(hook, tick, 'replaced');
  }

  /** Returns the function that runs `hook` for a caller. */
  askerOf(hook: Hook): Ask {
    return this.#asked.askerOf(hook);
  }

  /** Works until `signal` aborts and every running hook has ended, at the latest after the grace period. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const limit = this.#terminateAfterGrace(signal, ended.signal);
    try {
      await runAll(
        [
          async (stop) => this.#queues.run(stop),
          async (stop) => this.#wishes.run(stop),
          async (stop) => this.#locks?.run(stop),
        ],
        signal,
      );
      await this.#options.unasked;
      await this.#asked.end();
    } finally {
      ended.abort();
      await limit;
    }
  }

  /** The tasks that hold up their queues. */
  holds(nowMs: number): readonly QueueHold[] {
    const isPaused = (queue: string): boolean => this.#options.gate?.rules.isQueuePaused(queue) === true;
    const queues = this.#queues.all.filter(({ name }) => !isPaused(name));
    return queues.map((queue) => holdOf(queue, nowMs)).filter((hold) => hold !== undefined);
  }

  /** The task that holds up the queue of a scheduled run; undefined when none does, or no queue has the run. */
  holdOf(runId: string): QueueHold | undefined {
    const isWanted = (task: Task): boolean => isForRun(task, new Set([runId]));
    const queue = this.#queues.all.find(({ tasks }) => tasks.some(isWanted));
    return queue && holdOfTask(queue, isWanted);
  }

  /** Ends these scheduled runs for newer ones: waiting ones leave their queue, running ones are aborted. */
  replace(runIds: ReadonlySet<string>): void {
    this.#dropped.fromQueues((task) => isForRun(task, runIds), 'replaced');
    this.#dropped.fromGate((_, trigger) => trigger.type === 'schedule' && runIds.has(trigger.run.runId), 'replaced');
    this.#endable.replace(runIds);
  }

  /** Drops the waiting tasks of hooks that were changed or removed; ends their runs if they take longer than 10 s. */
  endGone(): void {
    const { unitOf, onStarted, log } = this.#options;
    for (const { hook, triggers } of this.#dropped.fromQueues((task) => unitOf(task.hook) === undefined, 'gone')) {
      if (triggers[0].type === 'onStartup') onStarted(hook);
    }
    const isGone = (hook: Hook): boolean => unitOf(hook) === undefined;
    this.#wishes.drop(isGone);
    this.#dropped.fromGate(isGone, 'gone');
    this.#endable.endGone(isGone, CHANGED_LIMIT_MS, ({ name }) => {
      log.warn({ hook: name }, 'hook was changed or removed while it ran, and its run takes too long: it is ended');
    });
  }

  /**
   * A slice was given to another replica, as its triggers say. Resolves when no run about it goes on any more; when
   * `signal` aborts, those are ended.
   */
  async moved(slice: OwnSlice, signal: AbortSignal): Promise<void> {
    this.#dropped.fromQueues(({ triggers }) => triggers.every(isMoved), 'moved');
    this.#dropped.fromGate((_, trigger) => isMoved(trigger), 'moved');
    this.#wishes.dropMoved();
    await this.#endable.quiet(({ triggers }) => mayShow(slice, triggers), signal);
  }

  /** Whether a run goes on that may be about objects of an own slice. */
  mayBeAbout(slice: OwnSlice): boolean {
    return this.#endable.has(({ triggers }) => mayShow(slice, triggers));
  }

  #push(place: QueuePlace, task: Task): void {
    // It came too late.
    if (task.triggers.every(isMoved))
      return this.#journal.record({ type: 'dropped', task, queue: place.name, why: 'moved' });
    const startedAt = performance.now();
    const { name: queue } = place;
    this.#wishes.forget(task);
    this.#queues.get(place).push(task);
    this.#journal.record({ type: 'queued', task, queue });
    this.#options.metrics.queueActed(queue, 'AddLast', (performance.now() - startedAt) / 1000);
  }

  async #terminateAfterGrace(signal: AbortSignal, ended: AbortSignal): Promise<void> {
    const { leadership, gracePeriodMs } = this.#options;
    const atOnce = leadership === undefined ? ended : AbortSignal.any([ended, leadership.lost]);
    await Promise.race([aborted(signal), aborted(atOnce)]);
    await sleep(gracePeriodMs, atOnce);
    this.#terminate.abort();
  }
}

/** An event with the object as it is now; undefined when the object is gone. */
function currentTrigger(trigger: QueuedTrigger, unit: HookUnit | undefined): QueuedTrigger | undefined {
  if (trigger.type !== 'event') return trigger;
  const { namespace, name } = trigger.item;
  const item = unit
    ?.objects(trigger.binding, trigger.slice)
    .find((one) => one.namespace === namespace && one.name === name);
  return item && { ...trigger, item };
}
