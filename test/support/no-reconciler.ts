/** For units whose hooks have no reconcile binding. */
export function noReconciler(): never {
  throw new Error('the hook has no reconcile binding');
}
