import type { DebugView } from '../hook/debug-view.ts';
import type { OperatorView } from '../hook/operator-view.ts';
import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import type { HealthCheck } from '../server/health.ts';
import type { HookSet } from '../units/hook-set.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import type { GivenUp } from './dead-letters/given-up.ts';
import { followHooks, type FollowHooksOptions } from './follow-hooks.ts';
import { answeringChecks, readinessChecks } from './health.ts';
import type { HttpTriggers } from './http/http-triggers.ts';
import { Joints } from './joints.ts';
import type { OperatorParts } from './operator-parts.ts';
import type { Runs } from './runs/runs.ts';
import type { Schedules } from './schedules/schedules.ts';
import { shardsCheck } from './shards/shards-check.ts';
import { workingUnits } from './shards/divided-hooks.ts';
import { tick } from './tick.ts';
import type { LoadedHooks } from './webhooks/asked-hooks.ts';

/**
 * The life of a running operator, whose parts `Joints` joins: what a source sees becomes a task, a queue has it run, and
 * what the hook asked is carried out. `runOperator` creates it and calls `run` once. The HTTP server calls `readiness`
 * and `answering`; the control socket and the page use `view`, `schedules` and `givenUp`, those in the same process
 * `hooks` and `runs`.
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
  /** What can be asked about it. */
  readonly view: OperatorView;
  /** What the debug API shows. */
  readonly debug: DebugView;
  /** The requests that trigger hooks, as servers see them. */
  readonly triggers: HttpTriggers;
  /** The hooks as webhooks see them. */
  readonly asked: LoadedHooks;
  /** The hooks now. */
  readonly hooks: Pick<HookSet, 'units' | 'broken' | 'unitNamed'>;
  /** What runs and waits. `push` runs a hook for a trigger that no source has seen, even while it is paused. */
  readonly runs: Pick<Runs, 'queues' | 'queued' | 'push' | 'askerOf'>;
  readonly #parts: OperatorParts;
  readonly #joints: Joints;
  #isLoaded = false;
  readonly #crash = latch<never>();
  /** Ends the units, also when the operator ends because of an error. */
  readonly #ended = new AbortController();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    const signal = AbortSignal.any([parts.signal, this.#ended.signal]);
    this.#joints = new Joints(parts, { onCrash: this.#crash.reject, signal });
    const { schedules, givenUp, view, debug, triggers, asked, hooks, runs } = this.#joints;
    this.schedules = schedules;
    this.givenUp = givenUp;
    this.view = view;
    this.debug = debug;
    this.triggers = triggers;
    this.asked = asked;
    this.hooks = hooks;
    this.runs = runs;
  }

  readiness(): readonly HealthCheck[] {
    const { units, broken } = this.hooks;
    const isStarted = this.#isLoaded && this.#joints.startup.isDone;
    const election = this.#parts.leadership?.status;
    const scheduleState = this.schedules.problem;
    const nowMs = Date.now();
    const holds = this.#joints.runs.holds(nowMs);
    const runner = this.#parts.runner.problem;
    const starting = this.#joints.startup.pending;
    const isPaused = (hook: string): boolean => this.givenUp.gate.rules.isHookPaused(hook);
    const state = { broken, holds, isStarted, starting, scheduleState, runner, isPaused, nowMs };
    const { shards } = this.#parts;
    if (shards === undefined) return readinessChecks({ ...state, units, election });
    return [shardsCheck(shards), ...readinessChecks({ ...state, units: workingUnits(units, shards) })];
  }

  /** How many objects are filtered outside the event loop. */
  get filtering(): number {
    return this.#parts.filters.pending;
  }

  /** What this replica needs to answer webhooks. */
  answering(): readonly HealthCheck[] {
    const { broken } = this.#joints.hooks;
    return answeringChecks({ isLoaded: this.#isLoaded, broken, runner: this.#parts.runner.problem });
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

  async #work(signal: AbortSignal): Promise<void> {
    const { options, metrics } = this.#parts;
    await runAll(
      [
        async (stop) => this.#joints.runs.run(stop),
        async (stop) => this.#followHooks(stop),
        async (stop) => aborted(stop).then(() => this.triggers.stop()),
        async (stop) => Promise.race([this.#crash.promise, aborted(stop)]),
        async (stop) => tick({ metrics, log: options.log, queues: () => this.#joints.runs.queues }, stop),
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
      await this.#joints.hooks.ended();
    }
  }

  #following(): FollowHooksOptions {
    const { options, leadership, shards } = this.#parts;
    return {
      shards,
      changes: options.changes,
      refresh: async () => this.#refresh(),
      isLate: () => this.#joints.hooks.isLate,
      onLoaded: () => {
        this.#isLoaded = true;
        options.onLoaded?.();
      },
      ready: async (hooks, signal) => this.givenUp.ready(hooks, signal),
      emit: (hook, trigger) => this.#joints.runs.emit(hook, trigger),
      startup: this.#joints.startup,
      leadership,
      onCrash: this.#crash.reject,
      log: options.log,
    };
  }

  async #refresh(): Promise<readonly HookUnit[]> {
    const units = await this.#joints.hooks.refresh();
    this.#parts.metrics.hooksBroken.set({}, this.#joints.hooks.broken.length);
    this.#joints.runs.endGone();
    this.triggers.loaded();
    this.asked.loaded();
    return units;
  }
}
