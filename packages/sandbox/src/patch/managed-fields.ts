// `metadata.managedFields` records which manager owns which fields of an object. This file converts between the record
// in an object and a map of managers; ownership.ts, track-update.ts and server-side-apply.ts decide which manager owns
// what.
//
// An entry belongs to a manager name, an operation (Apply or Update) and a subresource; an Update entry belongs to one
// apiVersion as well. There is at most one entry for each such identity. An entry without fields is not written, and
// the order of entries is fixed.

import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import type { FieldSet } from './field-set.ts';
import { fromFieldsV1, toFieldsV1, union } from './field-set.ts';

/** One entry of `metadata.managedFields`: a manager and the fields that it owns. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time?: string;
  readonly fields: FieldSet;
}

/** The managers of an object by identity. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

/**
 * The identity of an entry. It includes the apiVersion of an Update only, so a manager that applies in another version
 * keeps its entry.
 */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<FieldManager, 'fields'>): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** The managers that an object records; undefined if the record is invalid. */
export function readManagers(object: JsonObject | undefined): FieldManagers | undefined {
  const entries = entriesOf(object) ?? [];
  const managers = entries.map(readEntry);
  const valid = managers.filter((manager) => manager !== undefined);
  if (valid.length < managers.length) return undefined;
  return new Map(valid.map((manager) => [identityOf(manager), manager]));
}

/** Whether the object asks to clear its record, with an empty list or with one empty entry. */
export function resetsManagers(object: JsonObject): boolean {
  const entries = entriesOf(object);
  if (entries === undefined) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}

/** Returns the object with this record of managers, or without a record if none has fields. */
export function withManagers(object: JsonObject, managers: FieldManagers): JsonObject {
  const { managedFields: _replaced, ...metadata } = metadataOf(object);
  const entries = [...managers.values()].filter(({ fields }) => fields.size > 0).toSorted(inOrder);
  if (entries.length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: entries.map(writeEntry) } };
}

/** Returns the object without its record of managers. */
export function withoutManagers(object: JsonObject): JsonObject {
  return isJsonObject(object['metadata']) ? withManagers(object, new Map()) : object;
}

/**
 * Limits the Update entries: beyond `MAX_UPDATERS`, the oldest entries of the same apiVersion are merged into one of
 * the manager `ancient-changes`.
 */
export function capUpdaters(managers: FieldManagers): FieldManagers {
  const updaters = [...managers.values()].filter(({ operation }) => operation === 'Update').toSorted(inOrder);
  const capped = new Map(managers);
  const firsts = new Map<string, FieldManager>();
  let count = updaters.length;
  for (const updater of updaters) {
    if (count <= MAX_UPDATERS) break;
    const first = firsts.get(updater.apiVersion);
    if (first === undefined) {
      firsts.set(updater.apiVersion, updater);
      continue;
    }
    const bucket = {
      ...updater,
      manager: 'ancient-changes',
      subresource: '',
      fields: union(first.fields, updater.fields),
    };
    capped.delete(identityOf(first));
    capped.delete(identityOf(updater));
    capped.set(identityOf(bucket), bucket);
    firsts.set(updater.apiVersion, bucket);
    count -= 1;
  }
  return capped;
}

const MAX_UPDATERS = 10;

/** The metadata of an object, or an empty object. */
export function metadataOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) ? metadata : {};
}

function entriesOf(object: JsonObject | undefined): readonly JsonValue[] | undefined {
  const entries = metadataOf(object)['managedFields'];
  return isJsonArray(entries) ? entries : undefined;
}

function readEntry(entry: JsonValue): FieldManager | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { operation, apiVersion, fieldsType, fieldsV1, time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined;
  return {
    manager: textOf(entry['manager']),
    operation,
    apiVersion,
    subresource: textOf(entry['subresource']),
    ...(typeof time === 'string' && { time }),
    fields: isJsonObject(fieldsV1) ? fromFieldsV1(fieldsV1) : new Set(),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function writeEntry({ manager, operation, apiVersion, subresource, time, fields }: FieldManager): JsonObject {
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource !== '' && { subresource }),
  };
}

function inOrder(left: FieldManager, right: FieldManager): number {
  return orderOf(left) < orderOf(right) ? -1 : 1;
}

function orderOf({ operation, time = '', manager, apiVersion, subresource }: FieldManager): string {
  return [operation, time, manager, apiVersion, subresource].join('\0');
}
