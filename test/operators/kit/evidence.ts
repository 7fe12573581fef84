import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { isOwnRecord } from '../../../src/scenario/own-records.ts';
import type { Happened, TestWorld } from '../../../src/testing/public.ts';
import { textAt } from '@hooklet/sandbox/testing';

/** What a hook has brought about: all objects, of the parent its status alone, without what differs from time to time. */
export async function evidenceOf(world: TestWorld, parent: JsonObject): Promise<readonly string[]> {
  const objects = (await world.list()).filter((one) => !isOwnRecord(one['kind'], textAt(one, 'metadata', 'name')));
  return objects.map((one) => JSON.stringify(isSameObject(one, parent) ? steadyStatus(one) : steady(one))).toSorted();
}

/**
 * What was written in a part of the timeline, a line each: by hooks and by hooklet for them, Events included, but the
 * registration of webhooks and their certificates, which hooklet writes for itself.
 */
export function writesIn(done: Happened): readonly string[] {
  return [
    ...done
      .writes()
      .filter(isForHook)
      .map(({ verb, object, subresource }) => {
        const place = [object.kind, object.namespace, object.name].filter((part) => part !== '').join('/');
        return `${verb} ${place}${subresource === null ? '' : ` ${subresource}`}`;
      }),
    ...done.timeline.flatMap(toldBy),
  ];
}

function isForHook({ object: { kind, name } }: ReturnType<Happened['writes']>[number]): boolean {
  return !kind.endsWith('WebhookConfiguration') && !(kind === 'Secret' && name.endsWith('-webhook-certs'));
}

/** The Event that a moment is, in one line. */
function toldBy({ type, by, isChange, after }: Happened['timeline'][number]): readonly string[] {
  if (type !== 'write' || by !== 'hooklet' || isChange !== true || !isEvent(after)) return [];
  return [`Event ${textAt(after, 'reason')}: ${textAt(after, 'message')}`];
}

function isEvent(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Event';
}

function isSameObject(one: JsonObject, other: JsonObject): boolean {
  return one['kind'] === other['kind'] && textAt(one, 'metadata', 'name') === textAt(other, 'metadata', 'name');
}

function steadyStatus({ kind, status }: JsonObject): JsonValue {
  return steady({ kind: kind ?? null, status: status ?? null });
}

const UNSTEADY: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'observedGeneration',
  'lastTransitionTime',
  'hooklet.dev/parent-uid',
  'ownerReferences',
  'currentRevision',
  'updateRevision',
]);

function steady(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(steady);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !UNSTEADY.has(name));
  return Object.fromEntries(kept.map(([name, field]) => [name, steady(field)]));
}
