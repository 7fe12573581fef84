import { unreachable } from '../lib/unreachable.ts';
import type { WatchEvent } from './binding.ts';
import type { JsonChunks } from './json-chunks.ts';
import type { EventTrigger, ScheduleTrigger, SynchronizationTrigger, Trigger } from './trigger.ts';

/** What runs a hook whose config has no `configVersion`, besides its start. */
export type V0Trigger = ScheduleTrigger | SynchronizationTrigger | EventTrigger;

/** The trigger, if its context is written in the format of a config without `configVersion`. */
export function asV0(trigger: Trigger): V0Trigger | undefined {
  switch (trigger.type) {
    case 'schedule':
    case 'synchronization':
    case 'event':
      return trigger.binding.format === 'v0' ? trigger : undefined;
    case 'onStartup':
    case 'ask':
    case 'reconcile':
    case 'http':
      return undefined;
    default:
      return unreachable(trigger);
  }
}

const EVENTS: Readonly<Record<WatchEvent, string>> = { Added: 'add', Modified: 'update', Deleted: 'delete' };

/** Writes the context in that format: the name of the binding, and of an event what happened to which object. */
export function writeV0(chunks: JsonChunks, trigger: V0Trigger): void {
  chunks.text('{"binding":').value(trigger.binding.name);
  if (trigger.type === 'event') {
    const { item, watchEvent } = trigger;
    chunks.text(`,"resourceEvent":"${EVENTS[watchEvent]}","resourceKind":`).value(kindOf(trigger));
    chunks.text(',"resourceName":').value(item.name).text(',"resourceNamespace":').value(item.namespace);
  }
  chunks.text('}');
}

/** The kind that the object says; that of the binding may be a short name. */
function kindOf({ binding, item }: EventTrigger): string {
  if (item.object === undefined) return binding.kind;
  const object: unknown = JSON.parse(Buffer.from(item.object).toString('utf8'));
  const hasKind = typeof object === 'object' && object !== null && 'kind' in object;
  return hasKind && typeof object.kind === 'string' ? object.kind : binding.kind;
}
