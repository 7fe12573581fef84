import { RequestSlots, type SlotLimits } from './request-slots.ts';

export interface SourceSlotLimits extends SlotLimits {
  /** How many of the requests one client may have. */
  readonly maxOfSource: number;
}

/** As `RequestSlots`, for clients that nobody knows yet: none of them may have all. */
export class SourceSlots {
  readonly #limits: SourceSlotLimits;
  readonly #slots: RequestSlots;
  readonly #bySource = new Map<string, number>();

  constructor(limits: SourceSlotLimits) {
    this.#limits = limits;
    this.#slots = new RequestSlots(limits);
  }

  /** As `RequestSlots.take`, for a client; what it returns may be called more than once. */
  take(source: string, bytes: number): (() => void) | undefined {
    const taken = this.#bySource.get(source) ?? 0;
    const free = taken < this.#limits.maxOfSource ? this.#slots.take(bytes) : undefined;
    if (free === undefined) return undefined;
    this.#bySource.set(source, taken + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      free();
      const left = (this.#bySource.get(source) ?? 1) - 1;
      if (left > 0) this.#bySource.set(source, left);
      else this.#bySource.delete(source);
    };
  }
}
