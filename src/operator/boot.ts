import type { Hook } from '../hook/binding.ts';
import type { Task } from '../hook/task.ts';
import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import type { HookUnit } from './hook-unit.ts';

export interface BootOptions {
  readonly push: (queue: string, task: Task) => void;
  readonly startup: StartupHooks;
  readonly now: () => number;
}

/**
 * Starts hooks in the peer's order: onStartup hooks by their number, then every hook's Synchronizations by path. A
 * failing onStartup hook holds back all that follows; later on a hook in trouble holds back only itself.
 */
export async function boot(units: readonly HookUnit[], options: BootOptions, signal: AbortSignal): Promise<void> {
  const { push, startup, now } = options;
  const tasks = startupTasks(units, now());
  startup.expect(tasks.map(({ hook }) => hook));
  for (const task of tasks) push('main', task);
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

function startupTasks(units: readonly HookUnit[], nowMs: number): readonly Task[] {
  const starts = units.flatMap(({ hook }) =>
    hook.bindings.flatMap((binding) => (binding.type === 'onStartup' ? [{ hook, binding }] : [])),
  );
  // A stable sort: hooks of one number stay in the order of their paths.
  return starts
    .toSorted((a, b) => a.binding.order - b.binding.order)
    .map(({ hook, binding }) => ({
      hook,
      triggers: [{ type: 'onStartup', binding }],
      allowFailure: false,
      queuedAtMs: nowMs,
      failures: 0,
      ownFailures: 0,
    }));
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
