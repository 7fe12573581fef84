/** Why a child is not as it should be; the caller makes a condition and an Event of it. */
export interface ChildProblem {
  readonly type: ProblemType;
  /** `Deployment/web`, or where it is in the answer: `children[3]`. */
  readonly child: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/**
 * - `invalid`: the hook's answer cannot be right; nothing was written.
 * - `refused`, `forbidden`: the API server refuses the child, or does not let hooklet write it. When that was found in
 *   the dry run, nothing was written.
 * - `kind`: the API server does not have the kind.
 * - `taken`: another object has the name; it is not touched.
 * - `changed`: the child was replaced or changed at the same time; it is right at the next try.
 * - `lost`: the API server did not answer, or had an error of its own.
 */
export type ProblemType = 'invalid' | 'refused' | 'forbidden' | 'kind' | 'taken' | 'changed' | 'lost';
