import { isDeepStrictEqual } from 'node:util';
import { at, objectAt, objectsAt, stringMapAt, textAt } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';
import { badRequest, forbiddenValue, invalidValue, requiredValue, type Cause } from './status-error.ts';

const DATA_FIELDS = ['data', 'binaryData'];

/** Validates a ConfigMap; returns the causes of its refusal. `before` is the current object of an update. */
export function configMapCauses(map: JsonObject, before: JsonObject | undefined): readonly Cause[] {
  return [
    ...dataKeyCauses(map, DATA_FIELDS),
    ...sizeCauses(map, DATA_FIELDS),
    ...frozenCauses(map, before, DATA_FIELDS),
  ];
}

const REQUIRED_KEYS: { readonly [type: string]: readonly string[] } = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
};

const DATA_KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function dataKeyCauses(object: JsonObject, fields: readonly string[]): readonly Cause[] {
  return fields.flatMap((field) =>
    Object.keys(objectAt(object, field))
      .filter((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key))
      .map((key) => invalidValue(`${field}[${key}]`, key, DATA_KEY_RULE)),
  );
}

function frozenCauses(object: JsonObject, before: JsonObject | undefined, fields: readonly string[]): readonly Cause[] {
  if (before === undefined || at(before, 'immutable') !== true) return [];
  const rule = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !isDeepStrictEqual(objectAt(object, field), objectAt(before, field)));
  const thawed = at(object, 'immutable') === true ? [] : ['immutable'];
  return [...thawed, ...changed].map((field) => forbiddenValue(field, rule));
}

/** Validates a Secret; returns the causes of its refusal. `before` is the current object of an update. */
export function secretCauses(secret: JsonObject, before: JsonObject | undefined): readonly Cause[] {
  const required = (REQUIRED_KEYS[textAt(secret, 'type')] ?? [])
    .filter((key) => at(secret, 'data', key) === undefined)
    .map((key) => requiredValue(`data[${key}]`));
  const causes = [
    ...dataKeyCauses(secret, ['data']),
    ...sizeCauses(secret, ['data']),
    ...required,
    ...frozenCauses(secret, before, ['data']),
  ];
  const type = textAt(secret, 'type');
  if (before === undefined || textAt(before, 'type') === type) return causes;
  return [invalidValue('type', type, 'field is immutable'), ...causes];
}

const MAX_DATA_BYTES = 1024 * 1024;

function sizeCauses(object: JsonObject, fields: readonly string[]): readonly Cause[] {
  const bytes = fields
    .flatMap((field) => stringMapAt(object, field))
    .reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  if (bytes <= MAX_DATA_BYTES) return [];
  const message = `Too long: may not be more than ${MAX_DATA_BYTES} bytes`;
  return [{ field: '[]', reason: 'FieldValueTooLong', message }];
}

/** Throws the 400 with which the server refuses webhooks whose `caBundle` is not base64. */
export function requireDecodableBundles(kind: ServedKind, object: JsonObject): void {
  const bundles = [
    ...objectsAt(object, 'webhooks').map((hook) => textAt(hook, 'clientConfig', 'caBundle')),
    textAt(object, 'spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'),
  ];
  for (const bundle of bundles) {
    const offset = bundle.search(NOT_BASE64);
    if (offset >= 0) throw undecodable(kind, `illegal base64 data at input byte ${offset}`);
  }
}

const NOT_BASE64 = /[^A-Za-z0-9+/=\r\n]/;

/** Throws the 400 with which the server refuses to decode data whose values are not strings or not base64. */
export function requireDecodableData(kind: ServedKind, object: JsonObject): void {
  const checks = DECODING[kind.collection] ?? {};
  for (const [field, encoded] of Object.entries(checks)) {
    const values = Object.values(objectAt(object, field));
    const wrong = values.find((value) => typeof value !== 'string' && value !== null);
    if (wrong !== undefined) {
      throw undecodable(
        kind,
        `json: cannot unmarshal ${goType(wrong)} into Go struct field ${kind.kind}.${field} of type string`,
      );
    }
    for (const value of values) {
      const offset = encoded && typeof value === 'string' ? value.search(NOT_BASE64) : -1;
      if (offset >= 0) throw undecodable(kind, `illegal base64 data at input byte ${offset}`);
    }
  }
}

// For each collection and field, whether its values are base64.
const DECODING: { readonly [collection: string]: { readonly [field: string]: boolean } } = {
  configmaps: { data: false, binaryData: true },
  secrets: { data: true, stringData: false },
};

function goType(value: JsonValue): string {
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The 400 for an object that the server cannot decode. */
export function undecodable({ kind, version }: ServedKind, problem: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}
