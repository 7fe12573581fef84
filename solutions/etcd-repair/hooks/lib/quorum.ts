import type { Member } from './etcd.ts';

export function voterCount({ members = [] }: { readonly members: readonly Member[] | undefined }): number {
  return members.filter(({ isLearner }) => !isLearner).length;
}

export function wellCount({ pods }: { readonly pods: readonly { readonly isWell: boolean }[] }): number {
  return pods.filter(({ isWell }) => isWell).length;
}

/** How many voters must agree. */
export function majority(voters: number): number {
  return Math.floor(voters / 2) + 1;
}
