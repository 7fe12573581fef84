import type { HttpBinding, HttpRateLimit } from '../../hook/http-binding.ts';

/** A limit of requests: so many at once, and so many a minute after that. */
export class Allowance {
  readonly #limit: HttpRateLimit;
  readonly #now: () => number;
  #tokens: number;
  #updatedAtMs: number;

  constructor(limit: HttpRateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#tokens = limit.burst;
    this.#updatedAtMs = now();
  }

  /** Counts a request; returns in how many seconds the next one is taken if this one is too many. */
  refusal(): number | undefined {
    const { perMinute, burst } = this.#limit;
    const nowMs = this.#now();
    const grown = (Math.max(0, nowMs - this.#updatedAtMs) * perMinute) / 60_000;
    this.#tokens = Math.min(burst, this.#tokens + grown);
    this.#updatedAtMs = nowMs;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 60) / perMinute);
    this.#tokens -= 1;
    return undefined;
  }
}

/** The limits of all `http` bindings; a hook that is loaded again has new ones. */
export class RequestRates {
  readonly #now: () => number;
  readonly #allowances = new WeakMap<HttpBinding, Allowance>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** As `Allowance.refusal`, for a request of this binding. */
  refusal(binding: HttpBinding): number | undefined {
    const allowance = this.#allowances.get(binding) ?? new Allowance(binding.rateLimit, this.#now);
    this.#allowances.set(binding, allowance);
    return allowance.refusal();
  }
}
