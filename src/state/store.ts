/** A place where texts by key outlive the process; a write is made as a whole or not at all. */
export interface Store {
  /** In words, such as `ConfigMap default/hooklet-schedules`. */
  readonly place: string;
  /** All texts as they are now. Rejects when a later try may work. */
  read(signal: AbortSignal): Promise<StoreRead>;
  /** Writes these texts, unless somebody else wrote since the last `read` or `write`. Rejects when a later try may work. */
  write(changes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<StoreWrite>;
}

export type StoreRead = { readonly type: 'read'; readonly texts: ReadonlyMap<string, string> } | Refused;

export type StoreWrite = { readonly type: 'written' } | { readonly type: 'conflict' } | Refused;

/** It does not work until somebody changes something. */
export interface Refused {
  readonly type: 'refused';
  readonly error: unknown;
  /** What to change. */
  readonly advice: string;
}
