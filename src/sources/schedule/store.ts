/** Where the state of schedules outlives the operator: texts by key, written all or none. */
export interface ScheduleStore {
  /** In words, such as `ConfigMap default/hooklet-schedules`. */
  readonly place: string;
  /** All texts as they are now. Rejects when that may work later. */
  read(signal: AbortSignal): Promise<StoreRead>;
  /** Writes these, unless somebody else wrote since the last `read` or `write`. Rejects when that may work later. */
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
