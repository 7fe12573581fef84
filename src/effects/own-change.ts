import { isDeepStrictEqual } from 'node:util';
import { metadataOf } from './api-object.ts';
import { conditionsIn, ownedStatus, STATUS_MANAGER, statusOf } from './owned-status.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/** Whether `after` differs from `before` in nothing but what was sent as the status. */
export function isOwnChange(before: JsonObject, after: JsonObject, sent: JsonObject): boolean {
  const keys = new Set([...Object.keys(sent), ...Object.keys(ownedStatus(before).fields)]);
  const types = new Set(conditionsIn(sent['conditions']).map(({ type }) => type));
  return isDeepStrictEqual(withoutSent(before, { keys, types }), withoutSent(after, { keys, types }));
}

interface Sent {
  readonly keys: ReadonlySet<string>;
  readonly types: ReadonlySet<unknown>;
}

function withoutSent(object: JsonObject, { keys, types }: Sent): unknown {
  const { resourceVersion: _version, managedFields, ...metadata } = metadataOf(object);
  const others = (Array.isArray(managedFields) ? managedFields : []).filter(
    (entry) => !isObject(entry) || entry['manager'] !== STATUS_MANAGER,
  );
  const { conditions, ...status } = statusOf(object);
  const fields = Object.entries(status).filter(([key]) => !keys.has(key));
  const rest = conditionsIn(conditions).filter(({ type }) => !types.has(type));
  return { ...object, metadata: { ...metadata, managers: others.length }, status: [Object.fromEntries(fields), rest] };
}
