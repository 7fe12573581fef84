import type { HookConfigError } from '../errors.ts';
import type { Hook } from '../hook/binding.ts';
import type { Discovery, HookFile } from '../hook/discover.ts';
import type { LoadedHooks } from '../hook/load.ts';
import { withoutNameConflicts } from '../hook/webhook-names.ts';
import type { HookUnit } from './hook-unit.ts';

export interface HookSetOptions {
  readonly discover: () => Promise<Discovery>;
  readonly load: (files: readonly HookFile[]) => Promise<LoadedHooks>;
  readonly createUnit: (hook: Hook) => HookUnit;
  /** Resolves when hooks may run, as on the leader; until then units follow only what requests show. */
  readonly mayWork: Promise<void>;
  /** As `mayWork`, of one hook; absent: that of all. */
  readonly mayHookWork?: ((hook: Hook) => Promise<void>) | undefined;
  readonly onLoaded: (hook: Hook) => void;
  readonly onBroken: (error: HookConfigError) => void;
  /** The hook was changed or removed, and its unit has ended. Not called when the operator ends. */
  readonly onStopped: (name: string) => void;
  /** The hook's file was removed; called for broken hooks too. */
  readonly onRemoved: (name: string) => void;
  /** A fingerprint for each file, by hook name; it differs whenever the file has to be loaded again. */
  readonly fingerprints: (files: readonly HookFile[]) => Promise<ReadonlyMap<string, string>>;
  /** Ends when the operator ends; every unit runs until then or until its hook is changed or removed. */
  readonly signal: AbortSignal;
  /** A unit failed, which is a bug. */
  readonly onCrash: (error: unknown) => void;
}

interface RunningUnit {
  readonly unit: HookUnit;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/**
 * The hooks of the folder: running, each with a unit, or broken, which means that they do not load. The operator calls
 * `refresh` at the start and after each change of the folder; everything else only reads.
 *
 * A hook is reloaded when its fingerprint changes: its unit is aborted and awaited, then its file is loaded and a new
 * unit starts. So a hook name never has two units at work, and hooks whose fingerprints stay the same keep running.
 * `refresh` must not be called again before it has resolved. Units start to work when `mayWork` resolves.
 */
export class HookSet {
  readonly #options: HookSetOptions;
  readonly #running = new Map<string, RunningUnit>();
  readonly #broken = new Map<string, HookConfigError>();
  readonly #units = new WeakMap<Hook, HookUnit>();
  #fingerprints: ReadonlyMap<string, string> = new Map();

  constructor(options: HookSetOptions) {
    this.#options = options;
  }

  /** The units of the running hooks, in the order of their paths. */
  get units(): readonly HookUnit[] {
    const paths = [...this.#running.values()].toSorted((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));
    return paths.map(({ unit }) => unit);
  }

  /** Why each broken hook does not load. */
  get broken(): readonly HookConfigError[] {
    return [...this.#broken.values()];
  }

  /** Whether a hook may load at the next refresh that did not, although no file has changed. */
  get isLate(): boolean {
    return this.broken.some(({ isRetryable }) => isRetryable);
  }

  /** The unit of `hook`; undefined when the hook was changed or removed meanwhile. */
  unitOf(hook: Hook): HookUnit | undefined {
    const unit = this.#running.get(hook.name)?.unit;
    return unit?.hook === hook ? unit : undefined;
  }

  /** The unit of the hook with this name; undefined when there is none, or it is broken. */
  unitNamed(name: string): HookUnit | undefined {
    return this.#running.get(name)?.unit;
  }

  /** The unit of `hook`, even if the hook was changed or removed meanwhile. */
  unitFor(hook: Hook): HookUnit | undefined {
    return this.#units.get(hook);
  }

  /**
   * Compares the folder with the hooks: stops those that were changed or removed, loads those that are new or changed,
   * and resolves to the units that started.
   */
  async refresh(): Promise<readonly HookUnit[]> {
    const { files } = await this.#options.discover();
    const fingerprints = await this.#options.fingerprints(files);
    const changed = files.filter(({ name }) => fingerprints.get(name) !== this.#fingerprints.get(name));
    const stale = [...this.#fingerprints.keys()].filter(
      (name) => fingerprints.get(name) !== this.#fingerprints.get(name),
    );
    this.#fingerprints = fingerprints;
    await Promise.all(stale.map(async (name) => this.#stop(name)));
    for (const name of stale.filter((one) => !fingerprints.has(one))) {
      this.#broken.delete(name);
      this.#options.onRemoved(name);
    }
    const loaded = await this.#options.load(changed);
    // The abort also ended the config runs that were still going, so their failures say nothing about the hooks.
    if (this.#options.signal.aborted) return [];
    // Not before: until it is loaded, a broken hook is still broken.
    for (const { name } of changed) this.#broken.delete(name);
    const running = this.units.map(({ hook }) => hook);
    const { hooks, broken: clashing } = withoutNameConflicts(loaded.hooks, running);
    // Loaded again at the next refresh: the other hook may be gone by then, and the machine may be faster.
    const again = [...clashing, ...loaded.broken.filter(({ isRetryable }) => isRetryable)];
    this.#fingerprints = new Map([...fingerprints, ...again.map(({ hook }) => [hook, ''] as const)]);
    for (const error of [...loaded.broken, ...clashing]) {
      this.#broken.set(error.hook, error);
      this.#options.onBroken(error);
    }
    return hooks.map((hook) => this.#start(hook));
  }

  /** Resolves when every unit has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(async ({ ended }) => ended));
  }

  #start(hook: Hook): HookUnit {
    const unit = this.#options.createUnit(hook);
    this.#units.set(hook, unit);
    const controller = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, controller.signal]);
    const ended = this.#runUnit(unit, signal).catch(this.#options.onCrash);
    this.#running.set(hook.name, { unit, controller, ended });
    this.#options.onLoaded(hook);
    return unit;
  }

  async #runUnit(unit: HookUnit, signal: AbortSignal): Promise<void> {
    const { mayWork, mayHookWork } = this.#options;
    await unit.run(signal, mayHookWork?.(unit.hook) ?? mayWork);
  }

  async #stop(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#running.delete(name);
    running.controller.abort();
    await running.ended;
    this.#options.onStopped(name);
  }
}

function bytesOf({ unit }: RunningUnit): Buffer {
  return Buffer.from(unit.hook.path);
}
