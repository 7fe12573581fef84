// A request is answered synchronously, so that nothing can happen between what it reads and what it writes. Some answers
// need other servers first: admission webhooks and converters. Such an answer is begun, asks its scope for the outcome
// of a call, and is given up with `Suspended`, before it has written anything; then the calls are made, and the answer
// is begun again, with the same scope, which now has the outcomes. If an object was changed meanwhile, the new answer
// asks for other calls, as an API server calls its webhooks again when it tries a write again.
//
// Whatever is random or depends on the clock must therefore be made with `once`, or the calls would differ each time.

/** What a call to another server came to. */
export type Outcome<Body> =
  | { readonly type: 'answer'; readonly body: Body }
  | { readonly type: 'failure'; readonly message: string };

/** A call to another server; calls with the same fingerprint ask for the same. */
export interface Call<Body> {
  readonly fingerprint: string;
  make(): Promise<Outcome<Body>>;
}

/** Thrown by an answer that needs these calls to be made first. */
export class Suspended extends Error {
  readonly calls: readonly Call<unknown>[];

  constructor(calls: readonly Call<unknown>[]) {
    super('the answer waits for other servers');
    this.name = 'Suspended';
    this.calls = calls;
  }
}

/** What is kept of a request while it is answered, perhaps several times. */
export class RequestScope {
  /** The time of the request, in milliseconds since the epoch. */
  readonly now: number;
  readonly #values = new Map<string, unknown>();
  readonly #outcomes = new Map<string, readonly Outcome<unknown>[]>();
  readonly #taken = new Map<string, number>();
  readonly #warnings = new Set<string>();
  readonly #ranks = new Map<Outcome<unknown>, number>();

  constructor(now: number) {
    this.now = now;
  }

  /** The warnings for the client, each once. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  warn(text: string): void {
    this.#warnings.add(text);
  }

  /** The value that `make` returns when it is first called for `key`; an error is not kept. */
  once<Value>(key: string, make: () => Value): Value {
    if (!this.#values.has(key)) this.#values.set(key, make());
    return this.#values.get(key) as Value;
  }

  /** The outcomes of calls that may be made side by side; throws `Suspended` if one is missing. */
  outcomes<Body>(calls: readonly Call<Body>[]): readonly Outcome<Body>[] {
    const found: Outcome<Body>[] = [];
    const missing: Call<Body>[] = [];
    for (const call of calls) {
      const taken = this.#taken.get(call.fingerprint) ?? 0;
      this.#taken.set(call.fingerprint, taken + 1);
      const outcome = this.#outcomes.get(call.fingerprint)?.[taken];
      if (outcome === undefined) missing.push(call);
      else found.push(outcome as Outcome<Body>);
    }
    if (missing.length > 0) throw new Suspended(missing);
    return found;
  }

  /** The place of an outcome in the order in which they came. */
  rankOf(outcome: Outcome<unknown>): number {
    return this.#ranks.get(outcome) ?? 0;
  }

  /** Must be called before each answer. */
  restart(): void {
    this.#taken.clear();
  }

  /** Makes the calls side by side, and keeps their outcomes. */
  async perform(calls: readonly Call<unknown>[]): Promise<void> {
    await Promise.all(
      calls.map(async (call) => {
        const outcome = await call.make();
        this.#ranks.set(outcome, this.#ranks.size);
        this.#outcomes.set(call.fingerprint, [...(this.#outcomes.get(call.fingerprint) ?? []), outcome]);
      }),
    );
  }
}

/** `RequestScope.once` where there is a scope; elsewhere `make` is called. */
export function once<Value>({ scope }: { readonly scope?: RequestScope }, key: string, make: () => Value): Value {
  return scope === undefined ? make() : scope.once(key, make);
}
