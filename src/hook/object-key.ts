import { unreachable } from '../lib/unreachable.ts';
import type { Task } from './task.ts';
import type { Trigger } from './trigger.ts';

/**
 * What the triggers of a task are about, each once: an object as one binding of a hook sees it, or a schedule. Tasks
 * with a common key keep their order. A key is the same after the hook was changed.
 */
export function keysOf({ hook, triggers }: Task): readonly string[] {
  const keys = new Set<string>();
  for (const trigger of triggers) {
    const key = objectKeyOf(trigger);
    if (key !== undefined) keys.add(`${hook.name}\n${key}`);
  }
  return [...keys];
}

/** The key of a trigger within its hook; undefined for one that is about all objects or none. */
export function objectKeyOf(trigger: Trigger): string | undefined {
  switch (trigger.type) {
    case 'event':
      return `${trigger.binding.name}\n${trigger.item.namespace}/${trigger.item.name}`;
    case 'reconcile':
      return `${trigger.binding.name}\n${trigger.namespace}/${trigger.name}`;
    case 'schedule':
      return `schedule ${trigger.binding.name}`;
    case 'onStartup':
    case 'synchronization':
    case 'ask':
    case 'http':
      return undefined;
    default:
      return unreachable(trigger);
  }
}
