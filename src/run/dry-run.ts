import type { Task } from '../hook/task.ts';

/** Whether a run must leave no trace: nothing that its hook asked is carried out. */
export function isDryRun({ triggers: [trigger] }: Pick<Task, 'triggers'>): boolean {
  return trigger.type === 'ask' && trigger.isDryRun === true;
}

/** A warning where a hook asks for changes, and its config says that it has no side effects. */
export function undeclaredEffects(
  { triggers: [trigger] }: Pick<Task, 'triggers'>,
  operations: number,
): readonly string[] {
  if (operations === 0 || trigger.type !== 'ask' || !('sideEffects' in trigger.binding)) return [];
  if (trigger.binding.sideEffects !== 'None') return [];
  return ['it asks for changes of objects, but its sideEffects is None; write NoneOnDryRun'];
}
