import type { Hook, OnStartupBinding } from '../hook/binding.ts';
import type { QueuedTrigger } from '../hook/trigger.ts';
import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import type { HookUnit } from './hook-unit.ts';

export interface BootOptions {
  /** Makes a trigger of a hook a task in its queue. */
  readonly emit: (hook: Hook, trigger: QueuedTrigger) => void;
  readonly startup: StartupHooks;
}

/**
 * Starts hooks in shell-operator's order. The operator calls it with the units that a load or reload of the hooks
 * folder started, once this replica may run hooks. It has two phases:
 *
 * 1. Startup: an onStartup task is queued for each hook that has one, by `order`, then by path. Phase 2 waits until no
 *    onStartup hook is pending in `startup`, so one that keeps failing holds back all of `units`.
 * 2. Enabling: the units are enabled in the order of their paths, each when all its bindings have their first list. A
 *    unit that meets a problem before that is passed over: it is enabled when its lists are complete, and holds back
 *    only itself.
 *
 * Resolves when all units are enabled or `signal` has aborted. It does not wait for the Synchronizations that it
 * queues.
 */
export async function boot(units: readonly HookUnit[], options: BootOptions, signal: AbortSignal): Promise<void> {
  const { emit, startup } = options;
  const starts = startsOf(units);
  startup.expect(starts.map(({ hook }) => hook));
  for (const { hook, binding } of starts) emit(hook, { type: 'onStartup', binding });
  await Promise.race([startup.done, aborted(signal)]);
  if (!signal.aborted) await enableInOrder(units, signal);
}

/**
 * The hooks whose onStartup task is not finished, of all boots together. `boot` adds hooks with `expect`; `Runs`
 * removes a hook with `finish`.
 */
export class StartupHooks {
  readonly #pending = new Set<Hook>();
  #allDone = latch();

  constructor() {
    this.#allDone.resolve();
  }

  /** The names of the pending hooks. */
  get pending(): readonly string[] {
    return [...this.#pending].map(({ name }) => name);
  }

  get isDone(): boolean {
    return this.#pending.size === 0;
  }

  /** Resolves when no hook is pending. */
  get done(): Promise<void> {
    return this.#allDone.promise;
  }

  expect(hooks: readonly Hook[]): void {
    if (hooks.length > 0 && this.isDone) this.#allDone = latch();
    for (const hook of hooks) this.#pending.add(hook);
  }

  /**
   * The onStartup task of `hook` is finished: it succeeded, was allowed to fail, or the hook was changed or removed.
   */
  finish(hook: Hook): void {
    this.#pending.delete(hook);
    if (this.isDone) this.#allDone.resolve();
  }
}

interface Start {
  readonly hook: Hook;
  readonly binding: OnStartupBinding;
}

/** The onStartup bindings by `order`; those with the same `order` keep the order of `units`. */
function startsOf(units: readonly HookUnit[]): readonly Start[] {
  const starts = units.flatMap(({ hook }) =>
    hook.bindings.flatMap((binding) => (binding.type === 'onStartup' ? [{ hook, binding }] : [])),
  );
  return starts.toSorted((a, b) => a.binding.order - b.binding.order);
}

/** The second phase of `boot` alone. */
export async function enableInOrder(units: readonly HookUnit[], signal: AbortSignal): Promise<void> {
  const ended = aborted(signal);
  const late: Promise<void>[] = [];
  for (const unit of units) {
    await Promise.race([unit.settled, ended]);
    if (signal.aborted) break;
    if (unit.isSynced) unit.enable();
    else late.push(enableWhenSynced(unit, ended, signal));
  }
  await Promise.all(late);
}

async function enableWhenSynced(unit: HookUnit, ended: Promise<void>, signal: AbortSignal): Promise<void> {
  await Promise.race([unit.synced, ended]);
  if (!signal.aborted) unit.enable();
}
