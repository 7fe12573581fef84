import type { AskBinding } from '../../hook/ask-binding.ts';
import type { Hook } from '../../hook/binding.ts';
import { abortable } from '../../lib/abortable.ts';
import { Changes } from '../../lib/changes.ts';
import type { Ask } from '../../run/asked-runs.ts';
import type { HookUnit } from '../../units/hook-unit.ts';

/** The hooks that callers may ask, as webhooks see them. They change when hooks are loaded again. */
export interface AskedHooks {
  /** Whether they were loaded for the first time. */
  isLoaded(): boolean;
  /** Those that run. Empty until all are loaded. */
  hooks(): readonly Hook[];
  /** Whether some hooks are broken, so that it is not known what they want. */
  hasBroken(): boolean;
  /** The names of the broken hooks. */
  broken(): readonly string[];
  /** Whether all objects are known that a request of this binding shows. */
  isKnown(hook: string, binding: AskBinding): boolean;
  /**
   * Resolves to the function that runs the hook, once all objects are known that the request shows. A hook that is being
   * loaded again is waited for. Rejects when `signal` aborts.
   */
  ready(hook: string, binding: AskBinding, signal: AbortSignal): Promise<Ask>;
  /** Yields after hooks were loaded. */
  changes(signal: AbortSignal): AsyncIterable<void>;
}

export interface AskedHooksOptions {
  readonly units: () => readonly HookUnit[];
  /** The names of the broken hooks. */
  readonly broken: () => readonly string[];
  readonly askerOf: (hook: Hook) => Ask;
}

/** The door of webhooks to the hooks; the operator calls `loaded` after each load. */
export class LoadedHooks implements AskedHooks {
  readonly #options: AskedHooksOptions;
  readonly #changes = new Changes();
  #isLoaded = false;

  constructor(options: AskedHooksOptions) {
    this.#options = options;
  }

  /** The hooks were loaded, or loaded again. */
  loaded(): void {
    this.#isLoaded = true;
    this.#changes.notify();
  }

  isLoaded(): boolean {
    return this.#isLoaded;
  }

  hooks(): readonly Hook[] {
    return this.#isLoaded ? this.#options.units().map(({ hook }) => hook) : [];
  }

  hasBroken(): boolean {
    return !this.#isLoaded || this.#options.broken().length > 0;
  }

  broken(): readonly string[] {
    return this.#options.broken();
  }

  isKnown(hook: string, binding: AskBinding): boolean {
    return this.#unit(hook)?.isKnown(binding) === true;
  }

  async ready(hook: string, binding: AskBinding, signal: AbortSignal): Promise<Ask> {
    const unit = this.#unit(hook) ?? (await this.#loadedUnit(hook, signal));
    await unit.known(binding, signal);
    return this.#options.askerOf(unit.hook);
  }

  changes(signal: AbortSignal): AsyncIterable<void> {
    return this.#changes.follow(signal);
  }

  #unit(name: string): HookUnit | undefined {
    return this.#options.units().find(({ hook }) => hook.name === name);
  }

  async #loadedUnit(name: string, signal: AbortSignal): Promise<HookUnit> {
    const loading = this.changes(signal)[Symbol.asyncIterator]().next();
    await abortable(loading, signal);
    const unit = this.#unit(name);
    if (unit === undefined) throw new Error(`the hook ${name} is gone`);
    return unit;
  }
}
