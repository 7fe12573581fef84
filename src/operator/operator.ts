import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { KubernetesBinding } from '../hook/binding.ts';
import type { ScheduleTrigger } from '../hook/trigger.ts';
import { discoverHooks, type Discovery } from '../hook/discover.ts';
import type { Task } from '../hook/task.ts';
import type { AppliedOperation } from '../effects/apply-operations.ts';
import type { HookMetrics } from '../effects/hook-metrics.ts';
import type { PatchOperation } from '../effects/operation.ts';
import { aborted } from '../lib/aborted.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { LeaderElection } from '../kube/leader-election.ts';
import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import { sleep } from '../lib/sleep.ts';
import { type Metrics } from '../metrics.ts';
import { Queues } from '../queue/queues.ts';
import type { Runner } from '../runner/runner.ts';
import type { HealthCheck } from '../server/health.ts';
import { boot, StartupHooks } from './boot.ts';
import { type ClusterAccess } from './cluster-access.ts';
import { type Effects } from './effects.ts';
import { EndableRuns, isForRun } from './endable-runs.ts';
import { fingerprintsOf } from './fingerprints.ts';
import { readinessChecks } from './health.ts';
import type { Filters } from '../filter/filters.ts';
import type { HookEvents } from './hook-events.ts';
import { hookLoader, type HookLoading } from './hook-loading.ts';
import type { HookUnit } from './hook-unit.ts';
import { HookSet } from './hook-set.ts';
import { type RunnerSettings } from './open-runner.ts';
import { holdOf, type QueueHold } from './queue-holds.ts';
import { createQueueFactory } from './queue-work.ts';
import { bindingOf, reasonOf } from './run-reason.ts';
import { createScheduleObserver } from './schedule-observer.ts';
import { openSchedules, type ScheduleStatePlace } from './schedule-state.ts';
import type { Schedules } from './schedules.ts';
import { logLoaded } from './loaded-hook.ts';
import { LongRuns } from './long-runs.ts';
import { LoopWarnings } from './loop-warnings.ts';
import { runTask } from './task-run.ts';
import { createUnitFactory } from './unit-factory.ts';

export interface OperatorSettings extends RunnerSettings {
  /** From the signal to end until running hooks are terminated. */
  readonly gracePeriodMs: number;
  /** Yields when something in the hooks folder may have changed; absent: hooks are loaded once. */
  readonly changes?: (signal: AbortSignal) => AsyncIterable<void>;
  /** Called once, when the hooks are loaded. */
  readonly onLoaded?: () => void;
  /** Absent: the usual ConfigMap, where a schedule needs it. */
  readonly scheduleState?: ScheduleStatePlace | undefined;
}

const TICK_MS = 10_000;
/** A run whose hook was changed or removed ends as it began, if it ends within this time. */
const CHANGED_LIMIT_MS = 10_000;

export interface OperatorParts {
  readonly options: OperatorSettings;
  readonly metrics: Metrics;
  readonly runner: Runner;
  /** Has begun already, where hooks are loaded once. */
  readonly loading?: HookLoading | undefined;
  readonly access: ClusterAccess;
  readonly filters: Filters;
  readonly effects: Effects;
  readonly hookMetrics: HookMetrics;
  /** Absent: this operator is the only one. */
  readonly leadership?: Leadership | undefined;
  readonly hookEvents?: HookEvents;
  readonly events?: Pick<EventRecorder, 'record'>;
  readonly signal: AbortSignal;
}

/** Whether this operator may run hooks. */
export type Leadership = Pick<LeaderElection, 'leading' | 'lost' | 'status'>;

/** Joins the rooms: what a source sees becomes a task, a queue has it run, and what the hook asked is carried out. */
export class Operator {
  readonly schedules: Schedules;
  readonly #parts: OperatorParts;
  readonly #hooks: HookSet;
  readonly #queues: Queues<Task>;
  readonly #endable = new EndableRuns();
  #isLoaded = false;
  readonly #startup = new StartupHooks();
  readonly #loops: LoopWarnings;
  readonly #crash = latch<never>();
  /** Ends running hooks, when the grace period is over. */
  readonly #terminate = new AbortController();
  /** Ends the units, whatever the reason to end is. */
  readonly #ended = new AbortController();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    const { options, metrics, access } = parts;
    const { log } = options;
    const signal = AbortSignal.any([parts.signal, this.#ended.signal]);
    const load = hookLoader(parts.runner, signal);
    this.#loops = new LoopWarnings({ metrics, log, now: Date.now });
    this.schedules = openSchedules(
      { ...options, access, holdOf: (runId) => this.#holdOfRun(runId) },
      () => this.#hooks.units,
    );
    this.#queues = new Queues(
      createQueueFactory({
        unitOf: (hook) => this.#hooks.unitOf(hook),
        run: async (task, queue, unit) => this.#runTask(task, queue, unit),
        onStarted: (hook) => this.#startup.finish(hook),
        onFailed: (task, error) => parts.hookEvents?.failed(task.hook.name, bindingOf(task), error),
        metrics,
        log,
      }),
    );
    this.#hooks = new HookSet({
      discover: async () => this.#discover(),
      load: async (files) => parts.loading?.hooks ?? load(files),
      mayWork: parts.leadership?.leading ?? Promise.resolve(),
      createUnit: createUnitFactory({
        access,
        filters: parts.filters,
        push: (queue, task) => this.#push(queue, task),
        schedules: {
          me: this.schedules.me,
          recordsOf: (binding) => this.schedules.recordsOf(binding),
          observer: createScheduleObserver({ metrics, events: parts.events, now: Date.now }),
        },
        endRuns: (runIds) => this.#endRuns(runIds),
        metrics,
        log,
      }),
      onLoaded: (hook) => logLoaded(hook, Date.now(), log),
      onBroken: (error) => {
        log.error({ hook: error.hook, err: error }, 'hook is broken and does not run');
        parts.hookEvents?.broken(error);
      },
      onStopped: (name) => parts.hookMetrics.forget(name),
      onRemoved: (name) => log.info({ hook: name }, 'hook removed'),
      fingerprints: async (files) => fingerprintsOf(resolve(options.hooksDir), files),
      onCrash: this.#crash.reject,
      signal,
    });
  }

  readiness(): readonly HealthCheck[] {
    const { units, broken } = this.#hooks;
    const isStarted = this.#isLoaded && this.#startup.isDone;
    const election = this.#parts.leadership?.status;
    const scheduleState = this.schedules.problem;
    const nowMs = Date.now();
    const holds = this.#queues.all.map((queue) => holdOf(queue, nowMs)).filter((hold) => hold !== undefined);
    const runner = this.#parts.runner.problem;
    const starting = this.#startup.pending;
    const state = { units, broken, holds, isStarted, starting, election, scheduleState, runner };
    return readinessChecks({ ...state, nowMs });
  }

  /** Works until `signal` aborts and what ran then has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const keeping = new AbortController();
    const kept = this.schedules.run(keeping.signal).catch(this.#crash.reject);
    try {
      await this.#work(signal);
    } finally {
      this.schedules.interrupt();
      keeping.abort();
      await kept;
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    await runAll(
      [
        async (stop) => this.#workQueues(stop),
        async (stop) => this.#followHooks(stop),
        async (stop) => Promise.race([this.#crash.promise, aborted(stop)]),
        async (stop) => this.#tick(stop),
      ],
      signal,
    );
  }

  async #workQueues(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const limit = this.#endRunsAfterGrace(signal, ended.signal);
    try {
      await this.#queues.run(signal);
    } finally {
      ended.abort();
      await limit;
    }
  }

  async #endRunsAfterGrace(signal: AbortSignal, ended: AbortSignal): Promise<void> {
    const { leadership, options } = this.#parts;
    // Another one may lead soon: there is no time to be graceful.
    const atOnce = leadership === undefined ? ended : AbortSignal.any([ended, leadership.lost]);
    await Promise.race([aborted(signal), aborted(atOnce)]);
    await sleep(options.gracePeriodMs, atOnce);
    this.#terminate.abort();
  }

  async #followHooks(signal: AbortSignal): Promise<void> {
    try {
      await this.#loadAndReload(signal);
      await aborted(signal);
    } finally {
      this.#ended.abort();
      await this.#hooks.ended();
    }
  }

  /** Loads and boots the hooks, then reloads those that change. */
  async #loadAndReload(signal: AbortSignal): Promise<void> {
    // Asked for before the hooks are loaded, so that no change between the two is missed.
    const changes = this.#parts.options.changes?.(signal) ?? [];
    const push = (queue: string, task: Task): void => this.#push(queue, task);
    const options = { push, startup: this.#startup, now: Date.now };
    const boots: Promise<void>[] = [];
    const bootUnits = (units: readonly HookUnit[]): void => {
      boots.push(this.#whenLeading(signal, async () => boot(units, options, signal)).catch(this.#crash.reject));
    };
    bootUnits(await this.#refresh());
    this.#isLoaded = true;
    this.#parts.options.onLoaded?.();
    for await (const _ of changes) bootUnits(await this.#refreshIfThere());
    await Promise.all(boots);
  }

  async #whenLeading(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { leadership } = this.#parts;
    if (leadership !== undefined) await Promise.race([leadership.leading, aborted(signal)]);
    if (!signal.aborted) await work();
  }

  /** A folder that is away for a moment, as while it is renamed, is no reason to end: its hooks go on as they are. */
  async #refreshIfThere(): Promise<readonly HookUnit[]> {
    try {
      return await this.#refresh();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#parts.options.log.error({ err: error }, 'the hooks are not loaded again, those that were loaded go on');
      return [];
    }
  }

  async #refresh(): Promise<readonly HookUnit[]> {
    const units = await this.#hooks.refresh();
    this.#parts.metrics.hooksBroken.set({}, this.#hooks.broken.length);
    this.#dropOrphans();
    this.#endable.endGone(
      (hook) => this.#hooks.unitOf(hook) === undefined,
      CHANGED_LIMIT_MS,
      ({ name }) => {
        this.#parts.options.log.warn(
          { hook: name },
          'hook was changed while it ran, and its run did not end: it is ended',
        );
      },
    );
    return units;
  }

  /** What waits for a hook that was changed or removed must not hold up the new one. */
  #dropOrphans(): void {
    for (const queue of this.#queues.all) {
      for (const { hook, triggers } of queue.drop((task) => this.#hooks.unitOf(task.hook) === undefined)) {
        if (triggers[0].type === 'onStartup') this.#startup.finish(hook);
      }
    }
  }

  async #discover(): Promise<Discovery> {
    const { hooksDir, log } = this.#parts.options;
    const discovery = await (this.#parts.loading?.discovery ?? discoverHooks(hooksDir));
    for (const { path, message } of discovery.warnings) log.warn({ path }, message);
    return discovery;
  }

  async #runTask(task: Task, queue: string, unit: HookUnit): Promise<void> {
    const { runner, metrics, effects, options } = this.#parts;
    // In one go with the reading of the contexts: what happens later is held for after the run.
    unit.begin(task);
    const place = {
      queue,
      read: (binding: KubernetesBinding) => unit.objects(binding),
      facts: (trigger: ScheduleTrigger) => unit.facts(trigger),
      wrote: (operation: PatchOperation, applied: AppliedOperation): void => {
        const loop = unit.wrote(task, operation, applied);
        if (loop !== undefined) this.#loops.record(task.hook.name, loop);
      },
    };
    const runOptions = { ...effects, runner, metrics, log: options.log };
    try {
      await this.#endable.during(task, async (stop) =>
        runTask(task, { ...place, stop }, runOptions, this.#terminate.signal),
      );
    } catch (error) {
      // The queue drops what failed of a hook that is there no more.
      if (this.#hooks.unitOf(task.hook) === undefined) unit.settleTicks(task, 'retry');
      // A queue that ends does not say what became of its last task.
      if (this.#ended.signal.aborted || this.#parts.signal.aborted) {
        const fields = { hook: task.hook.name, binding: bindingOf(task), queue, event: reasonOf(task), err: error };
        options.log.warn(fields, 'hook failed while shutting down, it is not run again');
      }
      throw error;
    }
  }

  #holdOfRun(runId: string): QueueHold | undefined {
    const queue = this.#queues.all.find(({ tasks }) => tasks.some((task) => isForRun(task, new Set([runId]))));
    return queue && holdOf(queue, Date.now());
  }

  #endRuns(runIds: ReadonlySet<string>): void {
    for (const queue of this.#queues.all) {
      for (const task of queue.drop((one) => isForRun(one, runIds))) {
        this.#hooks.unitOf(task.hook)?.settleTicks(task, 'replaced');
      }
    }
    this.#endable.end(runIds);
  }

  #push(queue: string, task: Task): void {
    const startedAt = performance.now();
    this.#queues.get(queue).push(task);
    const labels = { queue_name: queue, queue_action: 'AddLast' };
    this.#parts.metrics.tasksQueueActionSeconds.observe(labels, (performance.now() - startedAt) / 1000);
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const longRuns = new LongRuns(this.#parts.options.log);
    while (!signal.aborted) {
      this.#parts.metrics.liveTicks.inc({});
      longRuns.look(this.#queues.all, Date.now());
      await sleep(TICK_MS, signal);
    }
  }
}
