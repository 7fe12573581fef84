/* How a disturbed world can differ from the undisturbed one. */

/** One way in which the disturbed world differs from the undisturbed one, as a sentence that names the object. */
export interface Difference {
  readonly type: DifferenceType;
  readonly text: string;
}

export type DifferenceType =
  /** At the end, an object is missing, left over, or another. */
  | 'end'
  /** An object was created, or deleted, more often. */
  | 'creates'
  | 'deletes'
  /** A write of a second run, where nothing was left to be done. */
  | 'writes'
  /** An object was deleted that is not the one the run had seen: another uid. */
  | 'other-object'
  /** The last run of a hook failed, or the world did not come to rest. */
  | 'stuck'
  /** Input that cannot be right made a hook delete something. */
  | 'destroyed'
  /** Input that cannot be right was refused by the API server further on, and nobody is told. */
  | 'silent'
  /** A mutating webhook changes its own answer once more. */
  | 'answer';
