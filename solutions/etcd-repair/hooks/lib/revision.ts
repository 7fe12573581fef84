import type { Turn } from './turn.ts';

/** The revisions of a StatefulSet. */
export interface Updates {
  readonly current: string;
  readonly update: string;
  /** Pods below are made of the current one. */
  readonly partition: number;
  /** Whether all that is about the StatefulSet as it is now. */
  readonly isSeen: boolean;
}

/** Of which revision the StatefulSet would make the Pod, whatever its strategy of updates is. */
export function revisionToBeMade({ current, update, partition }: Updates, pod: string): string {
  return ordinalOf(pod) < partition ? current : update;
}

export function ordinalOf(pod: string): number {
  return Number(pod.slice(pod.lastIndexOf('-') + 1));
}

/** A new Pod is worth something where others like it run, or where there is no other kind. */
export function guardRevision({ facts, outcome }: Turn): boolean {
  const { target, objects } = facts;
  const { updates } = objects.statefulset;
  const revision = revisionToBeMade(updates, target?.pod ?? '');
  const well = facts.pods.filter(({ isWell }) => isWell).map(({ pod }) => pod);
  const isProven = objects.pods.some((pod) => well.includes(pod.name) && pod.revision === revision);
  if (updates.isSeen && (updates.current === updates.update || isProven)) return true;
  return outcome.refuse(
    'StatefulSetUpdating',
    `The StatefulSet is being updated, and ${target?.pod} is down: its Pod would be made of the revision ${revision}, which no member that is well runs. Finish or undo the update first: kubectl rollout status, kubectl rollout undo.`,
  );
}
