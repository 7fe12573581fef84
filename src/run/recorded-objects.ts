import { present } from '../hook/config-reader.ts';
import type { RunObject } from '../hook/run-record.ts';
import type { SnapshotItem, Trigger } from '../hook/trigger.ts';

const MAX_OBJECTS = 50;
/** Finding the generation means parsing the object. */
const MAX_PARSED_BYTES = 64 * 1024;

/** The objects that a run is about, the first 50 of them. */
export interface RecordedObjects {
  readonly objects: readonly RunObject[];
  readonly more: number;
}

/**
 * The objects of the triggers: of events, reconciles and requests; each object once, with what happened to it last. `generations`
 * has those that the contexts of reconciles showed.
 */
export function recordedObjects(
  triggers: readonly Trigger[],
  generations: ReadonlyMap<Trigger, number>,
): RecordedObjects {
  const last = new Map<string, Trigger>();
  for (const trigger of triggers) {
    const key = keyOf(trigger);
    if (key === undefined) continue;
    last.delete(key);
    last.set(key, trigger);
  }
  const kept = [...last.values()].slice(0, MAX_OBJECTS);
  const objects = kept.map((trigger) => objectOf(trigger, generations.get(trigger)));
  return { objects: objects.filter((one) => one !== undefined), more: last.size - kept.length };
}

function keyOf(trigger: Trigger): string | undefined {
  switch (trigger.type) {
    case 'event':
      return JSON.stringify([trigger.binding.kind, trigger.item.namespace, trigger.item.name]);
    case 'reconcile':
      return JSON.stringify([trigger.binding.kind, trigger.namespace, trigger.name]);
    case 'onStartup':
    case 'schedule':
    case 'synchronization':
    case 'http':
      return undefined;
    case 'ask':
      return trigger.about && JSON.stringify([trigger.about.kind, trigger.about.namespace, trigger.about.name]);
  }
}

function objectOf(trigger: Trigger, generation: number | undefined): RunObject | undefined {
  if (trigger.type === 'event') {
    const { binding, watchEvent, item } = trigger;
    return { ...placeOf(binding.kind, item), event: watchEvent, ...generationOf(item) };
  }
  if (trigger.type === 'ask') {
    const { about } = trigger;
    return about && { ...placeOf(about.kind, about), event: about.operation };
  }
  if (trigger.type !== 'reconcile') return undefined;
  return { ...placeOf(trigger.binding.kind, trigger), event: trigger.reason, ...present({ generation }) };
}

function placeOf(
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Pick<RunObject, 'kind' | 'namespace' | 'name'> {
  return { kind, ...(namespace !== '' && { namespace }), name };
}

/** `metadata.generation` of an object that is not very large. */
export function generationOf({ object }: Pick<SnapshotItem, 'object'>): { readonly generation?: number } {
  if (object === undefined || object.length > MAX_PARSED_BYTES) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(object.buffer, object.byteOffset, object.byteLength).toString());
    const metadata = memberOf(value, 'metadata');
    const generation = memberOf(metadata, 'generation');
    return typeof generation === 'number' ? { generation } : {};
  } catch {
    return {};
  }
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}
