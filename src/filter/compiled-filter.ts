/** The expression of a binding, ready to be applied to objects. */
export interface CompiledFilter {
  /**
   * The filterResult of an object; never throws on data. At once where that takes no more than a few milliseconds, else
   * a promise, which never rejects and is settled within a known time.
   */
  readonly apply: (object: FilterInput) => FilterOutcome | Promise<FilterOutcome>;
}

/** What a filter is applied to. */
export interface FilterInput {
  /** The parsed object. */
  readonly value: unknown;
  /** Its JSON text, read where the work goes on in another process. */
  json(): Uint8Array;
  /** Who shares the blame for what takes long. */
  readonly namespace: string;
  /** What names this version of the object; empty where nothing does. */
  readonly uid: string;
  readonly resourceVersion: string;
}

/** An expression that is worked on in this process to its end. */
export interface LocalFilter {
  readonly apply: (object: unknown) => FilterOutcome;
}

/** An expression that is worked on in this process for a few milliseconds at most: no outcome where that is not enough. */
export interface BriefFilter {
  readonly apply: (object: unknown) => FilterOutcome | undefined;
  /** How long it has been since the last call began. */
  readonly elapsedMs: () => number;
}

/** `result` is JSON text: `null` for no output, one output as it is, several as an array; `null` beside an `error`. */
export interface FilterOutcome {
  readonly result: string;
  readonly error?: string;
}

/** The outcome of a filter that failed, with the reason cut to a length that fits into a context. */
export function failedOutcome(reason: string): FilterOutcome {
  return { result: 'null', error: reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON)}...` };
}

const MAX_REASON = 1000;
