import { REPAIRS_ANNOTATION } from './settings.ts';
import type { Turn } from './turn.ts';

const DAY_MS = 86_400_000;

/** When repairs were begun in the last day, as the annotation has them; what is no such time is none. */
export function repairsOfDay(text: string, nowMs: number): readonly string[] {
  return text.split(' ').filter((time) => Math.abs(nowMs - Date.parse(time)) < DAY_MS);
}

/** Repeated failures have a cause that new disks do not fix, and each repair throws one away. */
export function guardRepairLimit({ settings, facts, outcome }: Turn): boolean {
  const times = repairsOfDay(facts.objects.statefulset.repairs, facts.nowMs);
  if (times.length < settings.maxRepairsPerDay) return true;
  const { namespace, statefulset } = settings;
  return outcome.refuse(
    'RepairLimit',
    `${times.length} members were replaced within a day, and REPAIR_MAX_PER_DAY is ${settings.maxRepairsPerDay}: ${times.join(', ')}. ${facts.target?.pod} is left alone. Find out what they have in common: nodes, disks, memory. It goes on a day after the first of them, or at once after kubectl -n ${namespace} annotate statefulset ${statefulset} ${REPAIRS_ANNOTATION}-`,
  );
}
