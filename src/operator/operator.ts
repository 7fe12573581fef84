import { resolve } from 'node:path';
import { discoverHooks, type Discovery } from '../hook/discover.ts';
import { aborted } from '../lib/aborted.ts';
import type { DebugView } from '../hook/debug-view.ts';
import type { OperatorView } from '../hook/operator-view.ts';
import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import type { Ask } from '../run/asked-runs.ts';
import type { HealthCheck } from '../server/health.ts';
import { StartupHooks } from '../units/boot.ts';
import { fingerprintsOf } from '../units/fingerprints.ts';
import { followHooks, type FollowHooksOptions } from './follow-hooks.ts';
import { answeringChecks, readinessChecks } from './health.ts';
import { LoadedHooks } from './webhooks/asked-hooks.ts';
import { HttpTriggers } from './http/http-triggers.ts';
import { hookLoader } from '../units/hook-loading.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import { HookSet } from '../units/hook-set.ts';
import { childrenOf } from './control/children-view.ts';
import { createDebugView } from './control/debug-view.ts';
import { LogLevelConfig } from './control/runtime-config.ts';
import { createOperatorView } from './control/operator-view.ts';
import { openChildren } from './reconcile/open-children.ts';
import { createScheduleObserver } from './schedules/schedule-observer.ts';
import { ScheduledRuns } from '../sources/schedule/scheduled-runs.ts';
import { openSchedules } from './schedules/schedule-state.ts';
import type { Schedules } from './schedules/schedules.ts';
import { logLoaded } from '../units/loaded-hook.ts';
import { Runs } from './runs/runs.ts';
import { GivenUp } from './dead-letters/given-up.ts';
import type { OperatorParts } from './operator-parts.ts';
import { tick } from './tick.ts';
import { createUnitFactory, type UnitFactoryOptions } from './unit-factory.ts';

/**
 * Joins the parts of a running operator: what a source sees becomes a task, a queue has it run, and what the hook asked
 * is carried out. `runOperator` creates it and calls `run` once. The HTTP server calls `readiness` and `answering`, and the
 * control socket uses `schedules` and `givenUp`.
 *
 * 1. Hooks are loaded, also on a replica that stands by.
 * 2. When this replica leads, the units watch the cluster and `boot` starts them.
 * 3. At each change of the folder, `HookSet` reloads what was changed, tasks of hooks that are gone are dropped, and
 *    new units are booted.
 * 4. When `signal` aborts, the units end, running hooks may finish, and the records of schedules are written last.
 *
 * An error of a part that should never fail is a bug: `run` ends all parts and rejects with it.
 */
export class Operator {
  readonly schedules: Schedules;
  readonly givenUp: GivenUp;
  /** What the debug API shows. */
  readonly debug: DebugView;
  readonly #parts: OperatorParts;
  readonly #hooks: HookSet;
  readonly #runs: Runs;
  /** The requests that trigger hooks, as servers see them. */
  readonly triggers: HttpTriggers;
  #isLoaded = false;
  readonly #startup = new StartupHooks();
  /** The hooks as webhooks see them. */
  readonly asked = new LoadedHooks({
    units: () => this.#hooks.units,
    broken: () => this.#hooks.broken.map(({ hook }) => hook),
    askerOf: (hook) => this.#runs.askerOf(hook),
  });
  readonly #crash = latch<never>();
  /** Ends the units, also when the operator ends because of an error. */
  readonly #ended = new AbortController();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    const { options, access } = parts;
    const { log } = options;
    const signal = AbortSignal.any([parts.signal, this.#ended.signal]);
    const load = hookLoader(parts.runner, signal);
    const scheduledRuns = new ScheduledRuns();
    this.schedules = openSchedules(
      { ...options, access, holdOf: (runId) => this.#runs.holdOf(runId) },
      () => this.#hooks.units,
    );
    this.givenUp = this.#openGivenUp();
    this.triggers = this.#openHttp();
    this.#runs = new Runs({
      ...options,
      ...parts,
      requests: this.triggers.journal,
      deadLetters: this.givenUp.letters,
      gate: this.givenUp.gate,
      executor: parts.runner,
      children: openChildren(access, log),
      scheduledRuns,
      unitOf: (hook) => this.#hooks.unitOf(hook),
      unitFor: (hook) => this.#hooks.unitFor(hook),
      onStarted: (hook) => this.#startup.finish(hook),
      lost: parts.leadership?.lost,
    });
    this.#hooks = new HookSet({
      discover: async () => this.#discover(),
      load: async (files) => parts.loading?.hooks ?? load(files),
      mayWork: parts.leadership?.leading ?? Promise.resolve(),
      createUnit: createUnitFactory(this.#unitOptions(scheduledRuns)),
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
    this.debug = createDebugView({
      history: parts.history,
      units: () => this.#hooks.units,
      queues: () => this.#runs.queues,
      config: new LogLevelConfig({ levels: options.logLevels ?? { level: 'info' }, now: Date.now, log }),
    });
  }

  readiness(): readonly HealthCheck[] {
    const { units, broken } = this.#hooks;
    const isStarted = this.#isLoaded && this.#startup.isDone;
    const election = this.#parts.leadership?.status;
    const scheduleState = this.schedules.problem;
    const nowMs = Date.now();
    const holds = this.#runs.holds(nowMs);
    const runner = this.#parts.runner.problem;
    const starting = this.#startup.pending;
    const isPaused = (hook: string): boolean => this.givenUp.gate.rules.isHookPaused(hook);
    const state = { units, broken, holds, isStarted, starting, election, scheduleState, runner, isPaused };
    return readinessChecks({ ...state, nowMs });
  }

  /** What this replica needs to answer webhooks. */
  answering(): readonly HealthCheck[] {
    const { broken } = this.#hooks;
    return answeringChecks({ isLoaded: this.#isLoaded, broken, runner: this.#parts.runner.problem });
  }

  /**
   * Returns the function that runs the hook with this name for a caller; undefined when there is none, or it is broken.
   */
  askerOf(name: string): Ask | undefined {
    const unit = this.#hooks.unitNamed(name);
    return unit && this.#runs.askerOf(unit.hook);
  }

  /** What can be asked about it. */
  get view(): OperatorView {
    const { history, access, leadership } = this.#parts;
    return createOperatorView({
      history,
      access,
      schedules: this.schedules,
      units: () => this.#hooks.units,
      broken: () => this.#hooks.broken,
      queues: () => this.#runs.queues,
      givenUp: () => this.givenUp.glance,
      children: (object) => childrenOf(this.#hooks.units, object),
      election: () => leadership?.status,
    });
  }

  /** Works until `signal` aborts and every running hook has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const schedulesEnd = new AbortController();
    const kept = [this.schedules.run(schedulesEnd.signal), this.givenUp.run(schedulesEnd.signal)];
    const schedulesEnded = Promise.all(kept).catch(this.#crash.reject);
    try {
      await this.#work(signal);
    } finally {
      this.schedules.interrupt();
      schedulesEnd.abort();
      await schedulesEnded;
    }
  }

  #openHttp(): HttpTriggers {
    const { options, access, leadership } = this.#parts;
    return new HttpTriggers({
      ...options,
      access,
      units: () => this.#hooks.units,
      unitOf: (hook) => this.#hooks.unitOf(hook),
      emit: (hook, trigger) => this.#runs.emit(hook, trigger),
      election: () => leadership?.status,
    });
  }

  #openGivenUp(): GivenUp {
    const { options, metrics, access, recordEvent } = this.#parts;
    return new GivenUp({
      ...options,
      metrics,
      access,
      recordEvent,
      units: () => this.#hooks.units,
      unitFor: (hook) => this.#hooks.unitFor(hook),
      emit: (hook, trigger) => this.#runs.emit(hook, trigger),
      push: (hook, trigger) => this.#runs.push(hook, trigger),
      setAside: () => this.#runs.setAside(),
      onStarted: (hook) => this.#startup.finish(hook),
      onReplaced: (hook, tick) => this.#runs.leaveOut(hook, tick),
      triggerSchedule: async (hook, binding) => this.schedules.trigger(hook, binding),
    });
  }

  #unitOptions(scheduledRuns: ScheduledRuns): UnitFactoryOptions {
    const { options, metrics, access, filters, events, traces } = this.#parts;
    return {
      access,
      filters,
      emit: (hook, trigger) => this.#runs.emit(hook, trigger),
      requeue: (task) => this.#runs.requeue(task),
      seen: (hook, binding, change) => this.givenUp.seen(hook, binding, change),
      onEvent: traces?.seen,
      onPause: (hook, binding, object) => this.givenUp.gate.mark(hook, binding, object),
      schedules: {
        me: this.schedules.me,
        recordsOf: (binding) => this.schedules.recordsOf(binding),
        scheduledRuns,
        replace: (runIds) => this.#runs.replace(runIds),
        observer: createScheduleObserver({ metrics, events, now: Date.now, log: options.log }),
      },
      metrics,
      log: options.log,
    };
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { options, metrics } = this.#parts;
    await runAll(
      [
        async (stop) => this.#runs.run(stop),
        async (stop) => this.#followHooks(stop),
        async (stop) => aborted(stop).then(() => this.triggers.stop()),
        async (stop) => Promise.race([this.#crash.promise, aborted(stop)]),
        async (stop) => tick({ metrics, log: options.log, queues: () => this.#runs.queues }, stop),
      ],
      signal,
    );
  }

  async #followHooks(signal: AbortSignal): Promise<void> {
    try {
      await followHooks(this.#following(), signal);
      await aborted(signal);
    } finally {
      this.#ended.abort();
      await this.#hooks.ended();
    }
  }

  #following(): FollowHooksOptions {
    const { options, leadership } = this.#parts;
    return {
      changes: options.changes,
      refresh: async () => this.#refresh(),
      onLoaded: () => {
        this.#isLoaded = true;
        options.onLoaded?.();
      },
      ready: async (hooks, signal) => this.givenUp.ready(hooks, signal),
      emit: (hook, trigger) => this.#runs.emit(hook, trigger),
      startup: this.#startup,
      leadership,
      onCrash: this.#crash.reject,
      log: options.log,
    };
  }

  async #refresh(): Promise<readonly HookUnit[]> {
    const units = await this.#hooks.refresh();
    this.#parts.metrics.hooksBroken.set({}, this.#hooks.broken.length);
    this.#runs.endGone();
    this.triggers.loaded();
    this.asked.loaded();
    return units;
  }

  async #discover(): Promise<Discovery> {
    const { hooksDir, log } = this.#parts.options;
    const discovery = await (this.#parts.loading?.discovery ?? discoverHooks(hooksDir));
    for (const { path, message } of discovery.warnings) log.warn({ path }, message);
    return discovery;
  }
}
