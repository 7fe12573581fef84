/*
 * What this member has of the slices: `next` ones, which its Lease says or is about to say and nobody works on yet;
 * working ones; and those that it gives up, until the handler has said that nothing of them is worked on any more. What
 * must hold: a slice that was ever given to the handler leaves here only when `give` has resolved; one that fails is
 * asked to give again.
 */

import type { Logger } from '../../../log.ts';
import { ALL_SLICES, LEADING_SLICE, type Assignment } from './assignment.ts';

/** Works on the objects of slices. */
export interface SliceHandler {
  /** The slice is this member's from now on. */
  take(slice: number): void;
  /**
   * Resolves when nothing of the slice is worked on any more. When `signal` aborts, what is left of the work must be
   * ended at once.
   */
  give(slice: number, signal: AbortSignal): Promise<void>;
}

export interface HeldSlicesOptions {
  readonly identity: string;
  readonly handler: SliceHandler;
  /** How long a slice may take to be given up before `signal` of `give` aborts. */
  readonly giveMs: number;
  /** Aborts when all work must stop. */
  readonly lost: AbortSignal;
  /** Aborts when everything that is being given up must be so at once. */
  readonly hurry: AbortSignal;
  /** Told when a slice was given up. */
  readonly onGiven: () => void;
  readonly log: Logger;
}

type Holding = 'next' | 'working' | 'giving' | 'to give again';

/** The slices of one member; see above. */
export class HeldSlices {
  readonly #options: HeldSlicesOptions;
  readonly #holdings = new Map<number, Holding>();

  constructor(options: HeldSlicesOptions) {
    this.#options = options;
  }

  /** What its Lease must say. */
  get noted(): ReadonlySet<number> {
    return new Set(this.#holdings.keys());
  }

  /** What the handler works on. */
  get working(): ReadonlySet<number> {
    return this.#of((holding) => holding !== 'next');
  }

  /** What may be taken once the Lease says it, and no other member holds it. */
  get next(): ReadonlySet<number> {
    return this.#of((holding) => holding === 'next');
  }

  /** Begins to give up what another is to have, and chooses what to take next. */
  follow(assignment: Assignment, isAlive: (identity: string) => boolean): void {
    for (const slice of ALL_SLICES) {
      const { holder, wanted } = assignment.slices[slice] ?? { holder: '', wanted: '' };
      const isOwn = holder === this.#options.identity;
      const isAsked = isOwn ? wanted !== '' && wanted !== this.#options.identity && isAlive(wanted) : isAlive(holder);
      this.#step(slice, { isWanted: isOwn && wanted === '', isAsked: isAsked && slice !== LEADING_SLICE });
    }
  }

  /** Begins to give up everything. */
  giveAll(): void {
    for (const slice of ALL_SLICES) this.#step(slice, { isWanted: false, isAsked: true });
  }

  /** Works on a slice that was chosen. */
  take(slice: number): void {
    if (this.#holdings.get(slice) !== 'next') return;
    this.#holdings.set(slice, 'working');
    this.#options.handler.take(slice);
  }

  /** All work has been stopped. */
  clear(): void {
    this.#holdings.clear();
  }

  #step(slice: number, { isWanted, isAsked }: { readonly isWanted: boolean; readonly isAsked: boolean }): void {
    const holding = this.#holdings.get(slice);
    if (holding === undefined && isWanted) this.#holdings.set(slice, 'next');
    else if (holding === 'next' && !isWanted) this.#holdings.delete(slice);
    else if ((holding === 'working' && isAsked) || holding === 'to give again') void this.#give(slice);
  }

  /** Never rejects. */
  async #give(slice: number): Promise<void> {
    const { handler, giveMs, lost, hurry, onGiven, log } = this.#options;
    this.#holdings.set(slice, 'giving');
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`slice ${slice} is to be given up at once`)), giveMs);
    try {
      await handler.give(slice, AbortSignal.any([lost, hurry, limit.signal]));
      this.#holdings.delete(slice);
      onGiven();
    } catch (error) {
      if (lost.aborted) return;
      log.error({ err: error, slice }, 'slice could not be given up, it is tried again');
      this.#holdings.set(slice, 'to give again');
    } finally {
      clearTimeout(timer);
    }
  }

  #of(isMeant: (holding: Holding) => boolean): ReadonlySet<number> {
    return new Set([...this.#holdings].filter(([, holding]) => isMeant(holding)).map(([slice]) => slice));
  }
}
