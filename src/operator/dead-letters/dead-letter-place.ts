/** Where dead letters and pauses by hand are persisted; without `isForced`, read only when a hook needs it. */
export type DeadLetterPlace =
  | { readonly type: 'configMap'; readonly name: string; readonly isForced: boolean }
  | { readonly type: 'file'; readonly path: string; readonly isForced: true }
  | { readonly type: 'none' };

/** Read at the start only where a hook has a binding that may give up, and written with the first letter. */
export const DEFAULT_PLACE = {
  type: 'configMap',
  name: 'hooklet-dead-letters',
  isForced: false,
} as const satisfies DeadLetterPlace;
