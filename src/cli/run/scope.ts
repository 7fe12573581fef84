import type { ContextScope, ResultScope } from '../../effects/read-result.ts';
import { isObject } from '../../lib/json-object.ts';

/** What the result of a run with these binding contexts may speak of, as far as the contexts show it. */
export function scopeOf(contexts: readonly Readonly<Record<string, unknown>>[]): ResultScope {
  return { contexts: contexts.map(contextScope) };
}

function contextScope(context: Readonly<Record<string, unknown>>, index: number): ContextScope {
  const isReconcile = context['type'] === 'Reconcile';
  if (context['type'] !== 'Event' && !isReconcile) return { isReconcile };
  const object = isObject(context['object']) ? context['object'] : {};
  const { namespace = '', name } = isObject(object['metadata']) ? object['metadata'] : {};
  // Where a filter leaves only its result, each context counts as one about an object of its own.
  const key = typeof name === 'string' ? `${String(namespace)}/${name}` : `#${index}`;
  return { object: `${String(context['binding'])} ${key}`, isReconcile };
}
