import type { DeadLetter } from '../../hook/dead-control.ts';
import type { ObjectReference, ResultEvent } from '../../hook/result.ts';

/** The Event about the object of a dead letter; undefined when it has none, or its apiVersion is not known. */
export function gaveUpEvent({ hook, binding, trigger, why, reason, message, attempts }: DeadLetter) {
  if (!('name' in trigger) || trigger.apiVersion === undefined) return undefined;
  const { apiVersion, kind, namespace, name } = trigger;
  const object: ObjectReference = { apiVersion, kind, name, ...(namespace !== '' && { namespace }) };
  const cause = why === 'permanent' ? 'will not be tried again' : `gave up after ${attempts} attempts`;
  const said = reason === undefined ? message : `${reason}: ${message}`;
  const event: ResultEvent = {
    type: 'Warning',
    reason: 'GaveUp',
    message: `hook ${hook}, binding ${binding}, ${cause}: ${said}`,
  };
  return { object, event };
}
