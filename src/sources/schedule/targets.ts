import type { ScheduleBinding } from '../../hook/binding.ts';

/** A schedule binding, with an id that is unique in its hook: `name`, then `name#2` for a second one of that name. */
export interface ScheduleTarget {
  readonly hook: string;
  readonly id: string;
  readonly binding: ScheduleBinding;
}

/** The targets of a hook's schedule bindings, in order, each with an id of its own. */
export function targetsOf(hook: string, bindings: readonly ScheduleBinding[]): readonly ScheduleTarget[] {
  const seen = new Map<string, number>();
  return bindings.map((binding) => {
    const count = (seen.get(binding.name) ?? 0) + 1;
    seen.set(binding.name, count);
    return { hook, id: count === 1 ? binding.name : `${binding.name}#${count}`, binding };
  });
}
