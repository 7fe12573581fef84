import { abortable } from '../../lib/abortable.ts';
import { latch } from '../../lib/latch.ts';
import type { Hook } from '../../hook/binding.ts';
import type { AskedHooks } from '../webhooks/asked-hooks.ts';

/** A part of the operator that is opened when the first hook wants it; hooks may come later. */
export class LatePart<T> {
  readonly #isWantedBy: (hook: Hook) => boolean;
  readonly #opened = latch<T>();
  #now: T | undefined;
  #isWanted = false;

  constructor(isWantedBy: (hook: Hook) => boolean) {
    this.#isWantedBy = isWantedBy;
  }

  /** Whether a hook has wanted it. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Undefined until it is open. */
  get now(): T | undefined {
    return this.#now;
  }

  /** Resolves when it is open; rejects with the reason of `signal` when that aborts first. */
  async ready(signal: AbortSignal): Promise<T> {
    return abortable(this.#opened.promise, signal);
  }

  /** Waits for a hook that wants it, and opens it; undefined when `signal` aborts first. */
  async open(
    asked: Pick<AskedHooks, 'hooks' | 'changes'>,
    open: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    this.#isWanted = await this.#untilWanted(asked, signal);
    if (!this.#isWanted) return undefined;
    const part = await open();
    if (part === undefined) return undefined;
    this.#now = part;
    this.#opened.resolve(part);
    return part;
  }

  async #untilWanted(asked: Pick<AskedHooks, 'hooks' | 'changes'>, signal: AbortSignal): Promise<boolean> {
    // From before the first look, so that no load is missed.
    const changes = asked.changes(signal);
    const isWanted = (): boolean => asked.hooks().some(this.#isWantedBy);
    if (isWanted()) return true;
    for await (const _ of changes) if (isWanted()) return true;
    return false;
  }
}
