import { annotationsOf } from '../../effects/compare-and-set.ts';
import { hasText, toldAnnotation } from '../../hook/kept-state.ts';
import type { ContextResult, ResultEvent } from '../../hook/result.ts';
import { parseJson } from '../../kube/object.ts';
import { toldPlaceOf } from '../results/told-place.ts';
import { NOTHING_TOLD, onceToken, type ToldRecord } from '../results/told-record.ts';
import type { Started, Writing } from './started.ts';

/** Returns which Events of the object of a run were recorded, and which still wait to be. */
export function toldOf({ trigger, parent }: Started, { run, seen, told }: Writing): ToldRecord {
  const object = seen?.(run, trigger);
  if (told === undefined || object === undefined) return NOTHING_TOLD;
  const { binding } = trigger;
  // Most objects have no such annotation, and need not be parsed.
  const annotations = hasText(object, toldAnnotation(binding)) ? annotationsOf(parseJson(object)) : {};
  return told.of(toldPlaceOf(run.task.hook, { binding, object: parent, annotations }));
}

/** Returns the Events that an earlier run kept with a state and could not record, except those that this answer has too. */
export function waitingOf(one: Started, { events }: ContextResult, options: Writing): readonly ResultEvent[] {
  const own = new Set(events.flatMap(({ once }) => (once === undefined ? [] : [onceToken(once)])));
  return toldOf(one, options).waiting.flatMap(({ token, event }) => (own.has(token) ? [] : [event]));
}
