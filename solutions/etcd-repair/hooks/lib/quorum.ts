import type { Facts } from './facts.ts';

export function voterCount({ members = [] }: Facts): number {
  return members.filter(({ isLearner }) => !isLearner).length;
}

export function wellCount({ pods }: Facts): number {
  return pods.filter(({ isWell }) => isWell).length;
}

export function majority(voters: number): number {
  return Math.floor(voters / 2) + 1;
}
