import { RequestSlots, type SlotLimits } from './request-slots.ts';

export interface SourceSlotLimits extends SlotLimits {
  /** How many of the requests one client may have. */
  readonly maxOfSource: number;
  /** Of the bodies of one client together; default: no limit. */
  readonly maxBytesOfSource?: number;
}

interface Taken {
  readonly requests: number;
  readonly bytes: number;
}

const NOTHING: Taken = { requests: 0, bytes: 0 };

/** As `RequestSlots`, by client: none of them may have all. */
export class SourceSlots {
  readonly #limits: SourceSlotLimits;
  readonly #slots: Pick<RequestSlots, 'take'>;
  readonly #bySource = new Map<string, Taken>();

  /** `slots`: those that others take of, too; absent: its own. */
  constructor(limits: SourceSlotLimits, slots: Pick<RequestSlots, 'take'> = new RequestSlots(limits)) {
    this.#limits = limits;
    this.#slots = slots;
  }

  /** As `RequestSlots.take`, for a client; what it returns may be called more than once. */
  take(source: string, bytes: number): (() => void) | undefined {
    const { maxOfSource, maxBytesOfSource = Infinity } = this.#limits;
    const taken = this.#bySource.get(source) ?? NOTHING;
    if (taken.requests >= maxOfSource || taken.bytes + bytes > maxBytesOfSource) return undefined;
    const free = this.#slots.take(bytes);
    if (free === undefined) return undefined;
    this.#bySource.set(source, { requests: taken.requests + 1, bytes: taken.bytes + bytes });
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      free();
      const left = this.#bySource.get(source) ?? NOTHING;
      if (left.requests <= 1) this.#bySource.delete(source);
      else this.#bySource.set(source, { requests: left.requests - 1, bytes: left.bytes - bytes });
    };
  }
}
