import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { textAt } from '@hooklet/sandbox/testing';
import type { SeenContext } from './operator-rig.ts';

/** One event of an object that a hook received. */
export interface Sighting {
  /** `Listed` for an object of a Synchronization. */
  readonly event: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: number;
  readonly value: string;
}

/** The events of objects in binding contexts, in order. */
export function sightingsOf(contexts: readonly SeenContext[]): readonly Sighting[] {
  return contexts.flatMap((context) => {
    const { type, objects } = context;
    if (type === 'Event') return [toSighting(String(context['watchEvent']), objectOf(context))];
    return Array.isArray(objects) ? objects.map((item: unknown) => toSighting('Listed', objectOf(item))) : [];
  });
}

/** Events in the wrong order: an older version after a newer one, or anything after the deletion. */
export function disordersOf(sightings: readonly Sighting[]): readonly string[] {
  const last = new Map<string, Sighting>();
  return sightings.flatMap((sighting) => {
    const before = last.get(sighting.uid);
    last.set(sighting.uid, sighting);
    if (before === undefined) return [];
    const isOlder = sighting.resourceVersion < before.resourceVersion;
    const isAfterEnd = before.event === 'Deleted' && sighting.event !== 'Deleted';
    return isOlder || isAfterEnd ? [`${describe(before)}, then ${describe(sighting)}`] : [];
  });
}

/** The last received state of each object that was not deleted, as `name=value`, sorted. */
export function lastStates(sightings: readonly Sighting[]): readonly string[] {
  const last = new Map<string, Sighting>();
  for (const sighting of sightings) {
    if (sighting.event === 'Deleted') last.delete(sighting.uid);
    else last.set(sighting.uid, sighting);
  }
  return [...last.values()].map(({ name, value }) => `${name}=${value}`).toSorted();
}

/** Formats an object as `lastStates` does. */
export function stateOf(object: JsonObject): string {
  const { name, value } = toSighting('', object);
  return `${name}=${value}`;
}

function objectOf(item: unknown): JsonObject {
  if (!isJsonObject(item)) return {};
  // The contexts of warm hooks have the objects themselves in their lists.
  return isJsonObject(item['object']) ? item['object'] : item;
}

function toSighting(event: string, object: JsonObject): Sighting {
  return {
    event,
    name: textAt(object, 'metadata', 'name'),
    uid: textAt(object, 'metadata', 'uid'),
    resourceVersion: Number(textAt(object, 'metadata', 'resourceVersion')),
    value: textAt(object, 'data', 'value'),
  };
}

function describe({ event, name, resourceVersion }: Sighting): string {
  return `${event} ${name} at ${resourceVersion}`;
}

/**
 * Drops the runs that were repeated because they or their patches failed: the next attempt has all their contexts, and
 * perhaps more.
 */
export function withoutRepeated(runs: readonly (readonly SeenContext[])[]): readonly (readonly SeenContext[])[] {
  return runs.filter((contexts, index) => {
    const next = runs[index + 1]?.slice(0, contexts.length);
    return JSON.stringify(next) !== JSON.stringify(contexts);
  });
}
