import type { FinalizedObject } from '../../effects/finalizer.ts';
import type { Hook, ReconcileBinding } from '../../hook/binding.ts';
import { toldAnnotation } from '../../hook/kept-state.ts';
import { reconcileMark } from '../../hook/reconcile-mark.ts';
import type { ResultEvent } from '../../hook/result.ts';
import type { ToldPlace } from './told-events.ts';
import { onceToken, type OnceEvent } from './told-record.ts';

/** What was told of an object of a binding. */
export interface ToldOf {
  /** Absent: the object is none of a reconcile binding, and has no annotation for it. */
  readonly binding?: ReconcileBinding | undefined;
  /** Absent: it was told of no object. */
  readonly object?: FinalizedObject | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Where it is remembered what a hook told; of a reconcile binding whatever the name of the hook's file is. */
export function toldPlaceOf({ name }: Pick<Hook, 'name'>, { binding, object, annotations }: ToldOf): ToldPlace {
  return {
    scope: binding === undefined ? name : reconcileMark(binding),
    ...(object !== undefined && { object }),
    ...(binding !== undefined && { annotation: toldAnnotation(binding) }),
    annotations,
  };
}

/** The Events that have a key, with what they are remembered by. */
export function onceEventsOf(events: readonly ResultEvent[]): readonly OnceEvent[] {
  return events.flatMap((event) => (event.once === undefined ? [] : [{ token: onceToken(event.once), event }]));
}
