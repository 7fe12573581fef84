import type { ContextScope, ResultScope } from '../effects/read-result.ts';
import { compactGroups, groupOf } from '../hook/combine.ts';
import type { Task } from '../hook/task.ts';
import type { Trigger } from '../hook/trigger.ts';

/** What the result of a run of this task may speak of: the contexts that `writeContexts` writes, in their order. */
export function resultScope({ triggers }: Pick<Task, 'triggers'>): ResultScope {
  return { contexts: compactGroups(triggers).map(scopeOf) };
}

function scopeOf(trigger: Trigger): ContextScope {
  if (trigger.type === 'reconcile') {
    return { object: keyOf(trigger.binding, trigger), isReconcile: true };
  }
  // The context of a group does not show the object of the event.
  if (trigger.type !== 'event' || groupOf(trigger) !== undefined) return { isReconcile: false };
  return { object: keyOf(trigger.binding, trigger.item), isReconcile: false };
}

function keyOf(
  { apiVersion = '', kind }: { readonly apiVersion?: string; readonly kind: string },
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${apiVersion} ${kind} ${namespace}/${name}`;
}
