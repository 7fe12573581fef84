import { unreachable } from '../lib/unreachable.ts';
import type { SynchronizationTrigger, Trigger } from './trigger.ts';

/**
 * What a trigger is about, as text: the same for all triggers of a hook's binding that are about the same object, for
 * all ticks of a schedule, and for all Synchronizations of a binding, or of one slice of it. Undefined for a request.
 */
export function subjectOf(hook: string, trigger: Trigger): string | undefined {
  switch (trigger.type) {
    case 'onStartup':
      return subjectKey(hook, { type: 'onStartup', binding: '' });
    case 'ask':
      return undefined;
    case 'schedule':
      return subjectKey(hook, { type: 'schedule', binding: trigger.binding.name });
    case 'http':
      return subjectKey(hook, { type: 'http', binding: trigger.binding.name, name: trigger.runId });
    case 'synchronization':
      return subjectKey(hook, synchronizationSubject(trigger));
    case 'event': {
      const { binding, item } = trigger;
      return subjectKey(hook, { type: 'event', binding: binding.name, kind: binding.kind, ...placeOf(item) });
    }
    case 'reconcile': {
      const { binding } = trigger;
      return subjectKey(hook, { type: 'reconcile', binding: binding.name, kind: binding.kind, ...placeOf(trigger) });
    }
    default:
      return unreachable(trigger);
  }
}

/** What a subject is made of. */
export interface Subject {
  readonly type: 'onStartup' | 'schedule' | 'http' | 'synchronization' | 'event' | 'reconcile';
  readonly binding: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

function synchronizationSubject({ binding: { name: binding, kind }, slice }: SynchronizationTrigger): Subject {
  return { type: 'synchronization', binding, kind, ...(slice !== undefined && { name: sliceName(slice.index) }) };
}

/** The name of the Synchronization of one slice among the subjects. */
export function sliceName(index: number): string {
  return `slice ${index}`;
}

/** The text of a subject. */
export function subjectKey(hook: string, { type, binding, kind = '', namespace = '', name = '' }: Subject): string {
  return JSON.stringify([hook, type, binding, kind, namespace, name]);
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

function placeOf({ namespace, name }: Place): Place {
  return { namespace, name };
}
