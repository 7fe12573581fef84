/*
 * What a store must do for `Kept`: read all texts, and write some of them only if nobody else has written since. A
 * result is a value where `Kept` must react to it: a conflict (read again), or a refusal (a state that lasts until
 * somebody changes the setup). Any failure that may pass by itself rejects, and the call is repeated later. `Kept`
 * makes one call at a time.
 */

/** A place where texts by key survive the process; a write takes effect completely or not at all. */
export interface Store {
  /** Describes the place, such as `ConfigMap default/hooklet-schedules`. */
  readonly place: string;
  /** Returns all texts. Rejects when a later attempt may succeed. */
  read(signal: AbortSignal): Promise<StoreRead>;
  /**
   * Writes these texts, unless somebody else has written since the last `read` or `write`. Rejects when a later attempt
   * may succeed.
   */
  write(changes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<StoreWrite>;
}

/** The result of reading a store; an empty map when nothing is stored yet. */
export type StoreRead = { readonly type: 'read'; readonly texts: ReadonlyMap<string, string> } | Refused;

/** The result of a write; `conflict` when somebody else has written since the last read. */
export type StoreWrite = { readonly type: 'written' } | { readonly type: 'conflict' } | Refused;

/** The store will not work until somebody changes its setup. */
export interface Refused {
  readonly type: 'refused';
  readonly error: unknown;
  /** What would make it work, worded to follow "it needs". */
  readonly advice: string;
}
