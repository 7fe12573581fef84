import type { ConditionToSet, EventToRecord } from 'hooklet';
import type { SampleDB } from './spec.ts';

/** Conditions, and an Event for each that says something else than before: a Warning of what is wrong. */
export function told(
  { status }: SampleDB,
  conditions: readonly ConditionToSet[],
): { readonly conditions: readonly ConditionToSet[]; readonly events: readonly EventToRecord[] } {
  const before = new Map((status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const events = conditions.flatMap(({ type, status: is, reason, message = '' }): readonly EventToRecord[] => {
    const old = before.get(type);
    if (is === 'False') return old?.message === message ? [] : [{ type: 'Warning', reason, message }];
    return is === 'True' && old !== undefined && old.status !== 'True' ? [{ type: 'Normal', reason, message }] : [];
  });
  return { conditions, events };
}
