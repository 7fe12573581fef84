/** The expression of a binding, ready to be applied to objects. */
export interface CompiledFilter {
  /** The filterResult of an object that came from JSON; never throws on data. */
  readonly apply: (object: unknown) => FilterOutcome;
}

/** `result` is JSON text: `null` for no output, one output as it is, several as an array; `null` beside an `error`. */
export interface FilterOutcome {
  readonly result: string;
  readonly error?: string;
}
