/** The expression of a binding, ready to be applied to objects. */
export interface CompiledFilter {
  /**
   * Returns the filterResult of an object; never throws because of the object. If that takes more than a few
   * milliseconds, returns a promise, which never rejects and is settled within the limit of `FilterProcess.run`.
   */
  readonly apply: (object: FilterInput) => FilterOutcome | Promise<FilterOutcome>;
}

/** What a filter is applied to. */
export interface FilterInput {
  /** The parsed object. */
  readonly value: unknown;
  /** Its JSON text; called only when the filter process has to do the work. */
  json(): Uint8Array;
  /** The namespace of the object: slow filters of one namespace do not delay those of others. */
  readonly namespace: string;
  /** `uid` and `resourceVersion` identify this version of the object; empty when the object has none. */
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A filter that runs to its end in this process. */
export interface LocalFilter {
  readonly apply: (object: unknown) => FilterOutcome;
}

/**
 * A filter that runs in this process for a few milliseconds at most; it returns `undefined` when that is not enough.
 */
export interface BriefFilter {
  readonly apply: (object: FilterInput) => FilterOutcome | undefined;
  /** The milliseconds since the last call of `apply` began its work. */
  readonly elapsedMs: () => number;
}

/**
 * `result` is JSON text: `null` for no output, the output if there is one, an array of several; `null` with an `error`.
 */
export interface FilterOutcome {
  readonly result: string;
  readonly error?: string;
}

/** The outcome of a failed filter; the reason is shortened to 1,000 characters, since it becomes part of a context. */
export function failedOutcome(reason: string): FilterOutcome {
  return { result: 'null', error: reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON)}...` };
}

const MAX_REASON = 1000;
