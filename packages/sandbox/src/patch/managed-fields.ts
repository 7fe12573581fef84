import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import type { FieldSet } from './field-set.ts';
import { fromFieldsV1, toFieldsV1, union } from './field-set.ts';

/** Who owns which fields: one entry of `metadata.managedFields`. */
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

/** What makes two entries the same manager. One who applies keeps its entry when it changes the version. */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<FieldManager, 'fields'>): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** The managers that an object records; undefined when the record is unreadable. */
export function readManagers(object: JsonObject | undefined): FieldManagers | undefined {
  const entries = entriesOf(object) ?? [];
  const managers = entries.map(readEntry);
  const valid = managers.filter((manager) => manager !== undefined);
  if (valid.length < managers.length) return undefined;
  return new Map(valid.map((manager) => [identityOf(manager), manager]));
}

/** Whether the object asks for its record to be emptied: an empty list, or one empty entry. */
export function resetsManagers(object: JsonObject): boolean {
  const entries = entriesOf(object);
  if (entries === undefined) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}

/** The object with this record of managers, or with none. */
export function withManagers(object: JsonObject, managers: FieldManagers): JsonObject {
  const { managedFields: _replaced, ...metadata } = metadataOf(object);
  const entries = [...managers.values()].filter(({ fields }) => fields.size > 0).toSorted(inOrder);
  if (entries.length === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: entries.map(writeEntry) } };
}

/** The object without its record of managers. */
export function withoutManagers(object: JsonObject): JsonObject {
  return isJsonObject(object['metadata']) ? withManagers(object, new Map()) : object;
}

/** At most ten who update are told apart; the oldest beyond that become one, for each version. */
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

/** The metadata of an object, empty when it has none. */
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
