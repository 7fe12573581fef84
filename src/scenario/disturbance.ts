/*
 * What a world does to its operator and hooks, unlike the steps of the author: the perturbations of Sieve and Acto. Numbers
 * count from 1 over the whole life of the world, in the order of the undisturbed run, so that one disturbance strikes once
 * and a right hook still converges.
 */

/** One disturbance of one world. */
export type Disturbance =
  /**
   * Operator and hooks are killed right after the n-th effect, and another operator starts. Effects are writes that
   * changed an object, of hooks and hooklet (no Leases, no Events), and ended calls of stand-ins.
   */
  | { readonly type: 'crash'; readonly afterEffect: number }
  /** The n-th watch event that reaches the operator is not delivered; the next list or event of its object shows the state. */
  | { readonly type: 'skip'; readonly event: number }
  /** The n-th watch event is delivered twice. */
  | { readonly type: 'double'; readonly event: number }
  /** From the n-th watch event on the operator sees the cluster as it was before, until it has acted; then as it is. */
  | { readonly type: 'stale'; readonly event: number }
  /** The n-th request of a hook or of hooklet for a hook is refused or not answered, once. */
  | { readonly type: 'refuse'; readonly request: number; readonly how: 409 | 429 | 500 | 'timeout' }
  /** The n-th call of a stand-in ends at once: with exit code 1 and a line on stderr, or with 0 and without any output. */
  | { readonly type: 'answer'; readonly call: number; readonly how: 'fail' | 'empty' }
  /** The operator ends in order before the n-th action and starts again after it: events become a Synchronization. */
  | { readonly type: 'down'; readonly action: number };
