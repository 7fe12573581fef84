/** How many requests run at once, and with how many bytes of body. */
export interface SlotLimits {
  readonly maxRequests: number;
  /** Of all bodies together; default: no limit. */
  readonly maxBytes?: number;
}

/** Bounds the requests of some routes: each has a slot from before its body is read until it is answered. */
export class RequestSlots {
  readonly #limits: SlotLimits;
  #requests = 0;
  #bytes = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Takes a slot for a request with a body of up to `bytes`; returns how to give it back, or undefined without one. */
  take(bytes: number): (() => void) | undefined {
    const { maxRequests, maxBytes = Infinity } = this.#limits;
    if (this.#requests >= maxRequests || this.#bytes + bytes > maxBytes) return undefined;
    this.#requests += 1;
    this.#bytes += bytes;
    return () => {
      this.#requests -= 1;
      this.#bytes -= bytes;
    };
  }
}
