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
 * Starts hooks in shell-operator's order: onStartup hooks by their number, then the Synchronizations of every hook by
 * path. A failing onStartup hook holds back all that follow; a hook that fails later holds back only itself.
 */
export async function boot(units: readonly HookUnit[], options: BootOptions, signal: AbortSignal): Promise<void> {
  const { emit, startup } = options;
  const starts = startsOf(units);
  startup.expect(starts.map(({ hook }) => hook));
  for (const { hook, binding } of starts) emit(hook, { type: 'onStartup', binding });
  const ended = aborted(signal);
  await Promise.race([startup.done, ended]);
  if (!signal.aborted) await enableInOrder(units, ended, signal);
}

/** The onStartup hooks that have not succeeded yet. */
export class StartupHooks {
  readonly #pending = new Set<Hook>();
  #allDone = latch();

  constructor() {
    this.#allDone.resolve();
  }

  /** Their names. */
  get pending(): readonly string[] {
    return [...this.#pending].map(({ name }) => name);
  }

  get isDone(): boolean {
    return this.#pending.size === 0;
  }

  /** Resolves when none of the hooks that are expected now is pending any more. */
  get done(): Promise<void> {
    return this.#allDone.promise;
  }

  expect(hooks: readonly Hook[]): void {
    if (hooks.length > 0 && this.isDone) this.#allDone = latch();
    for (const hook of hooks) this.#pending.add(hook);
  }

  /** The hook succeeded, or is no longer there. */
  finish(hook: Hook): void {
    this.#pending.delete(hook);
    if (this.isDone) this.#allDone.resolve();
  }
}

interface Start {
  readonly hook: Hook;
  readonly binding: OnStartupBinding;
}

/** By number; hooks of one number stay in the order of their paths. */
function startsOf(units: readonly HookUnit[]): readonly Start[] {
  const starts = units.flatMap(({ hook }) =>
    hook.bindings.flatMap((binding) => (binding.type === 'onStartup' ? [{ hook, binding }] : [])),
  );
  return starts.toSorted((a, b) => a.binding.order - b.binding.order);
}

/** A hook has its turn when all its bindings have their first list; one that meets a problem before loses its turn. */
async function enableInOrder(units: readonly HookUnit[], ended: Promise<void>, signal: AbortSignal): Promise<void> {
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
