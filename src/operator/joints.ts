import { resolve } from 'node:path';
import type { HookConfigError } from '../errors.ts';
import type { DebugView } from '../hook/debug-view.ts';
import { discoverHooks, type Discovery } from '../hook/discover.ts';
import type { OperatorView } from '../hook/operator-view.ts';
import type { OwnSlice } from '../hook/shard.ts';
import type { RunJournal } from '../run/journal.ts';
import type { Executor } from '../runner/executor.ts';
import { ScheduledRuns } from '../sources/schedule/scheduled-runs.ts';
import { StartupHooks } from '../units/boot.ts';
import { fingerprintsOf } from '../units/fingerprints.ts';
import { hookLoader } from '../units/hook-loading.ts';
import { HookSet, type HookSetOptions } from '../units/hook-set.ts';
import { logLoaded } from '../units/loaded-hook.ts';
import { childrenOf } from './control/children-view.ts';
import { createDebugView } from './control/debug-view.ts';
import { createOperatorView } from './control/operator-view.ts';
import { LogLevelConfig } from './control/runtime-config.ts';
import { SeenOperationsJournal } from './control/seen-operations.ts';
import { GivenUp } from './dead-letters/given-up.ts';
import { HttpTriggers } from './http/http-triggers.ts';
import type { OperatorParts } from './operator-parts.ts';
import { openChildren } from './reconcile/open-children.ts';
import { Refusals } from './results/refusals.ts';
import { Runs } from './runs/runs.ts';
import { createScheduleObserver } from './schedules/schedule-observer.ts';
import { openSchedules } from './schedules/schedule-state.ts';
import type { Schedules } from './schedules/schedules.ts';
import { mayHookWork, withoutUndivided } from './shards/divided-hooks.ts';
import type { SliceWork } from './shards/owned-slices.ts';
import type { Shards } from './shards/shards.ts';
import { createUnitFactory, type UnitFactoryOptions } from './unit-factory.ts';
import { LoadedHooks } from './webhooks/asked-hooks.ts';

export interface JointsOptions {
  /** Called with an error of a part that should never fail. */
  readonly onCrash: (error: unknown) => void;
  /** Ends the units. */
  readonly signal: AbortSignal;
}

/**
 * The parts of an operator, joined: each is given what it may ask of the others, as functions, because those that it asks
 * may be created after it. `Operator` has them work.
 */
export class Joints {
  readonly schedules: Schedules;
  readonly givenUp: GivenUp;
  readonly view: OperatorView;
  readonly debug: DebugView;
  readonly triggers: HttpTriggers;
  readonly hooks: HookSet;
  readonly runs: Runs;
  readonly refusals: Refusals;
  readonly startup = new StartupHooks();
  readonly asked = new LoadedHooks({
    units: () => this.hooks.units,
    broken: () => this.hooks.broken.map(({ hook }) => hook),
    askerOf: (hook) => this.runs.askerOf(hook),
  });
  readonly #parts: OperatorParts;
  readonly #seen = new SeenOperationsJournal();

  constructor(parts: OperatorParts, { onCrash, signal }: JointsOptions) {
    this.#parts = parts;
    const { options, access } = parts;
    const { log } = options;
    const load = dividable(onceBegun(parts.loading, hookLoader(parts.runner, signal)), parts.shards);
    const scheduledRuns = new ScheduledRuns();
    this.schedules = openSchedules(
      { ...options, access, holdOf: (runId) => this.runs.holdOf(runId) },
      () => this.hooks.units,
    );
    this.givenUp = this.#openGivenUp();
    this.triggers = this.#openHttp();
    this.refusals = new Refusals({ metrics: parts.metrics, unitOf: (hook) => this.hooks.unitOf(hook) });
    this.runs = new Runs({
      ...options,
      ...parts,
      subscribers: this.#subscribers(),
      gate: this.givenUp.gate,
      executor: recorded(parts),
      children: openChildren(access, log),
      scheduledRuns,
      units: () => this.hooks.units,
      unitOf: (hook) => this.hooks.unitOf(hook),
      unitFor: (hook) => this.hooks.unitFor(hook),
      onStarted: (hook) => this.startup.finish(hook),
    });
    parts.shards?.endRunsWith(this.#sliceWork());
    this.hooks = new HookSet({
      discover: async () => this.#discover(),
      load,
      mayWork: parts.leadership?.leading ?? Promise.resolve(),
      mayHookWork: parts.shards && mayHookWork(parts.shards),
      createUnit: createUnitFactory(this.#unitOptions(scheduledRuns)),
      onLoaded: (hook) => logLoaded(hook, Date.now(), log),
      onBroken: (error) => this.#broken(error),
      onStopped: (name) => parts.hookMetrics.forget(name),
      onRemoved: (name) => log.info({ hook: name }, 'hook removed'),
      fingerprints: async (files) => fingerprintsOf(resolve(options.hooksDir), files),
      onCrash,
      signal,
    });
    this.view = this.#openView();
    this.debug = createDebugView({
      history: parts.history,
      units: () => this.hooks.units,
      queues: () => this.runs.queues,
      config: new LogLevelConfig({ levels: options.logLevels ?? { level: 'info' }, now: Date.now, log }),
    });
  }

  #subscribers(): readonly (RunJournal | undefined)[] {
    const { hookEvents, history, activity, traces, options, jobs } = this.#parts;
    const own = [this.givenUp.letters, history, this.triggers.journal, this.#seen, this.refusals];
    return [hookEvents, ...own, activity, traces?.journal, jobs, options.observer];
  }

  #openView(): OperatorView {
    const { history, recorder: recordings, access, leadership, pools, shards } = this.#parts;
    return createOperatorView({
      history,
      recordings,
      access,
      pools,
      shards,
      schedules: this.schedules,
      units: () => this.hooks.units,
      broken: () => this.hooks.broken,
      queues: () => this.runs.queues,
      givenUp: () => this.givenUp.glance,
      children: (object) => childrenOf(this.hooks.units, object),
      election: () => leadership?.status,
      seen: () => this.#seen.list(),
    });
  }

  #openHttp(): HttpTriggers {
    const { options, access, leadership } = this.#parts;
    return new HttpTriggers({
      ...options,
      access,
      units: () => this.hooks.units,
      unitOf: (hook) => this.hooks.unitOf(hook),
      emit: (hook, trigger) => this.runs.emit(hook, trigger),
      election: () => leadership?.status,
    });
  }

  #openGivenUp(): GivenUp {
    const { options, metrics, access, recordEvent, shards } = this.#parts;
    return new GivenUp({
      ...options,
      shards,
      metrics,
      access,
      recordEvent,
      units: () => this.hooks.units,
      unitFor: (hook) => this.hooks.unitFor(hook),
      emit: (hook, trigger) => this.runs.emit(hook, trigger),
      push: (hook, trigger) => this.runs.push(hook, trigger),
      setAside: () => this.runs.setAside(),
      onStarted: (hook) => this.startup.finish(hook),
      onReplaced: (hook, tick) => this.runs.leaveOut(hook, tick),
      triggerSchedule: async (hook, binding) => this.schedules.trigger(hook, binding),
    });
  }

  #unitOptions(scheduledRuns: ScheduledRuns): UnitFactoryOptions {
    const { options, metrics, access, filters, events, traces, shards } = this.#parts;
    return {
      access,
      shards,
      filters,
      emit: (hook, trigger) => this.runs.emit(hook, trigger),
      requeue: (task) => this.runs.requeue(task),
      seen: (hook, binding, change) => this.givenUp.seen(hook, binding, change),
      onEvent: traces?.seen,
      onPause: (hook, binding, object) => this.givenUp.gate.mark(hook, binding, object),
      schedules: {
        me: this.schedules.me,
        recordsOf: (binding) => this.schedules.recordsOf(binding),
        scheduledRuns,
        replace: (runIds) => this.runs.replace(runIds),
        observer: createScheduleObserver({ metrics, events, now: Date.now, log: options.log }),
      },
      metrics,
      log: options.log,
    };
  }

  #sliceWork(): SliceWork {
    return {
      quiet: async (slice, end) => this.#moved(slice, end),
      isQuiet: (slice) => !this.runs.mayBeAbout(slice),
    };
  }

  /** Resolves when nothing is done any more for objects of a slice that was given. */
  async #moved(slice: OwnSlice, end: AbortSignal): Promise<void> {
    await this.runs.moved(slice, end);
    await this.givenUp.moved(end);
    await Promise.all(this.hooks.units.map(async (unit) => unit.quiet(end)));
  }

  #broken(error: HookConfigError): void {
    this.#parts.options.log.error({ hook: error.hook, err: error }, 'hook is broken and does not run');
    this.#parts.hookEvents?.broken(error);
  }

  async #discover(): Promise<Discovery> {
    const { hooksDir, log } = this.#parts.options;
    const discovery = await (this.#parts.loading?.discovery ?? discoverHooks(hooksDir));
    for (const { path, message } of discovery.warnings) log.warn({ path }, message);
    return discovery;
  }
}

type Load = HookSetOptions['load'];

/** With `shards`, a hook that cannot be divided is broken. */
function dividable(load: Load, shards: Shards | undefined): Load {
  return shards === undefined ? load : async (files) => withoutUndivided(await load(files));
}

/** The first load is the one that has begun already. */
function onceBegun(begun: OperatorParts['loading'], load: Load): Load {
  let first = begun?.hooks;
  return async (files) => {
    const hooks = first;
    first = undefined;
    return hooks ?? load(files);
  };
}

/** What executes runs, and records them. */
function recorded({ recorder, runner, executor = runner }: OperatorParts): Pick<Executor, 'execute'> {
  return recorder?.executor(executor) ?? executor;
}
