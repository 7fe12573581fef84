/* The fields of an object that a user can get wrong, and what they are then set to. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { escaped } from './mask.ts';
import { valueAt } from './oracle.ts';
import type { MisuseHow } from './plan.ts';

/** A field, as a JSON pointer, and the schema of its value, where there is one. */
export interface Field {
  readonly path: string;
  readonly schema: JsonObject;
}

/** Fields of custom resources: what their schema declares, and what is set. Of others: what is set in spec and data. */
export function fieldsOf(object: JsonObject, crds: readonly JsonObject[]): Field[] {
  const schema = schemaOf(object, crds);
  const set = [...leaves(object['spec'], '/spec', schema), ...leaves(object['data'], '/data', undefined)];
  const declared = schema === undefined ? [] : declaredFields(schema, '/spec');
  const fields = new Map([...declared, ...set].map((field) => [field.path, field]));
  return [...fields.values()];
}

/** Whether the kind of the object is declared by one of these CustomResourceDefinitions. */
export function isCustom(object: JsonObject, crds: readonly JsonObject[]): boolean {
  return crds.some((crd) => declares(crd, object));
}

function declares(crd: JsonObject, object: JsonObject): boolean {
  const [group] = versionOf(object);
  return valueAt(crd, '/spec/group') === group && valueAt(crd, '/spec/names/kind') === object['kind'];
}

function versionOf({ apiVersion }: JsonObject): string[] {
  return typeof apiVersion === 'string' ? apiVersion.split('/') : [];
}

function schemaOf(object: JsonObject, crds: readonly JsonObject[]): JsonObject | undefined {
  const crd = crds.find((one) => declares(one, object));
  const versions = valueAt(crd, '/spec/versions');
  if (!isJsonArray(versions)) return undefined;
  const version = versions.find((one) => valueAt(one, '/name') === versionOf(object)[1]);
  const spec = valueAt(version, '/schema/openAPIV3Schema/properties/spec');
  return isJsonObject(spec) ? spec : {};
}

function leaves(value: JsonValue | undefined, path: string, schema: JsonObject | undefined): Field[] {
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, item]) =>
      leaves(item, `${path}/${escaped(key)}`, property(schema, key)),
    );
  }
  if (isJsonArray(value) && value.length > 0) {
    const items = valueAt(schema, '/items');
    return leaves(value[0], `${path}/0`, isJsonObject(items) ? items : undefined);
  }
  return value === undefined ? [] : [{ path, schema: schema ?? {} }];
}

function property(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const found = valueAt(schema, `/properties/${escaped(key)}`);
  const other = found ?? valueAt(schema, '/additionalProperties');
  return isJsonObject(other) ? other : undefined;
}

function declaredFields(schema: JsonObject, path: string): Field[] {
  const { properties } = schema;
  if (!isJsonObject(properties))
    return schema['type'] === 'array' || schema['type'] === 'object' ? [] : [{ path, schema }];
  return Object.entries(properties).flatMap(([key, item]) =>
    isJsonObject(item) ? declaredFields(item, `${path}/${escaped(key)}`) : [],
  );
}

/** What a field can be set to; `value` undefined: it is removed. */
export interface Mutation {
  readonly how: MisuseHow;
  readonly value: JsonValue | undefined;
  /** Whether no hook can take this value for a right one. */
  readonly isWrong: boolean;
}

/** The mutations of a field with this value, undefined where it is not set. */
export function mutationsOf(value: JsonValue | undefined, { schema }: Field): Mutation[] {
  const declared = schema['type'] === 'integer' ? 'number' : schema['type'];
  const type = value === undefined ? declared : typeof value;
  const mutations: Mutation[] = [
    ...(type === 'number' ? ofNumber(value) : type === 'string' ? ofText(value) : ofOther(type, value)),
    { how: 'wrong-type', value: type === 'string' ? ['wrong'] : 'wrong', isWrong: true },
    // A number that is missing is not 0; other fields may be left out on purpose.
    { how: 'removed', value: undefined, isWrong: type === 'number' },
  ];
  return mutations.filter((mutation) => JSON.stringify(mutation.value) !== JSON.stringify(value));
}

function ofNumber(value: JsonValue | undefined): Mutation[] {
  return [
    { how: 'changed', value: typeof value === 'number' ? value + 1 : 1, isWrong: false },
    { how: 'empty', value: 0, isWrong: false },
    { how: 'negative', value: -1, isWrong: true },
  ];
}

function ofText(value: JsonValue | undefined): Mutation[] {
  return [
    { how: 'changed', value: typeof value === 'string' ? `${value}-2` : 'other', isWrong: false },
    { how: 'empty', value: '', isWrong: false },
    { how: 'garbage', value: '~not/ valid~', isWrong: true },
  ];
}

function ofOther(type: JsonValue | undefined, value: JsonValue | undefined): Mutation[] {
  return type === 'boolean' ? [{ how: 'changed', value: value !== true, isWrong: false }] : [];
}
