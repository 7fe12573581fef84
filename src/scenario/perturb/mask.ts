/*
 * What differs between two runs of one scenario although the hooks did the same: uids, versions, times, generated names.
 * It is taken out of objects before they are compared. What is known to differ has rules here; the rest is learned from two
 * undisturbed runs (`learnMask`): what differs between them is not compared.
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { isToldAnnotation } from '../../hook/kept-state.ts';
import { isOwnRecord } from '../own-records.ts';

/** What is not compared. */
export interface Mask {
  /** Text in which the scenario's own times, uids and names are found: what it says itself is compared. */
  readonly given: string;
  /** Kind, namespace and beginning of names whose rest differed between undisturbed runs. */
  readonly generated: readonly { readonly kind: string; readonly namespace: string; readonly prefix: string }[];
  /** Paths of objects, by their keys, whose values differed between undisturbed runs. */
  readonly unsteady: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A mask that knows the rules alone. */
export function plainMask(given: string): Mask {
  return { given, generated: [], unsteady: new Map() };
}

/** Learns from what two undisturbed runs of one scenario left behind. */
export function learnMask(given: string, first: readonly JsonObject[], second: readonly JsonObject[]): Mask {
  const named: Mask = { ...plainMask(given), generated: generatedNames(plainMask(given), first, second) };
  const one = maskedObjects(first, named);
  const other = maskedObjects(second, named);
  const unsteady = new Map<string, Set<string>>();
  for (const [key, objects] of one) {
    const paths = new Set<string>();
    const others = other.get(key) ?? [];
    for (const [index, object] of objects.entries()) {
      const twin = others[index];
      if (twin !== undefined) for (const path of differingPaths(object, twin)) paths.add(path);
    }
    if (paths.size > 0) unsteady.set(key, paths);
  }
  return { ...named, unsteady };
}

/** The key under which objects are compared: kind and name, what is generated of a name replaced by `*`. */
export function objectKey(object: JsonObject, mask: Mask): string {
  const metadata = part(object, 'metadata');
  const namespace = text(metadata['namespace']);
  const kind = `${text(object['kind'])}.${text(object['apiVersion']).split('/')[0] ?? ''}`;
  return `${kind} ${namespace}/${steadyName(kind, metadata, mask)}`;
}

/** The key as people read it, without the group. */
export function shownKey(key: string): string {
  const [kind = '', name = ''] = key.split(' ');
  return `${kind.replace(/\..*$/s, '')} ${name.replace(/^\//, '')}`;
}

/** Objects by their keys, with what is not compared taken out, those of one key in a fixed order. */
export function maskedObjects(objects: readonly JsonObject[], mask: Mask): Map<string, JsonValue[]> {
  const all = new Map<string, JsonValue[]>();
  for (const object of objects) {
    if (isOwnRecord(object['kind'], part(object, 'metadata')['name'])) continue;
    const key = objectKey(object, mask);
    const group = all.get(key) ?? [];
    if (group.length === 0) all.set(key, group);
    group.push(maskedObject(object, key, mask));
  }
  for (const group of all.values()) {
    group.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return all;
}

/** One object with what is not compared taken out. */
export function maskedObject(object: JsonObject, key: string, mask: Mask): JsonValue {
  const unsteady = mask.unsteady.get(key);
  const metadata = { ...withoutTold(part(object, 'metadata')), name: key.slice(key.indexOf('/') + 1) };
  const masked = maskedValue(withReadableData(withSortedConditions({ ...object, metadata })), mask, '');
  return unsteady === undefined ? masked : without(masked, unsteady, '');
}

// Events are not compared, so neither is the memory of those that were told once.
function withoutTold(metadata: JsonObject): JsonObject {
  const { annotations, ...others } = metadata;
  if (!isJsonObject(annotations)) return metadata;
  const left = Object.entries(annotations).filter(([name]) => !isToldAnnotation(name));
  return left.length === 0 ? others : { ...others, annotations: Object.fromEntries(left) };
}

// Conditions are known by their types; their order says who came first.
function withSortedConditions(object: JsonObject): JsonObject {
  const { status } = object;
  if (!isJsonObject(status) || !isJsonArray(status['conditions'])) return object;
  const typeOf = (condition: JsonValue): string => (isJsonObject(condition) ? text(condition['type']) : '');
  const conditions = status['conditions'].toSorted((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
  return { ...object, status: { ...status, conditions } };
}

// Decodes text values of Secrets, so that times and uids in them are masked; binary values stay base64.
function withReadableData(object: JsonObject): JsonObject {
  const { kind, data } = object;
  if (kind !== 'Secret' || !isJsonObject(data)) return object;
  return { ...object, data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, readable(value)])) };
}

function readable(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const decoded = Buffer.from(value, 'base64').toString();
  return Buffer.from(decoded).toString('base64') === value ? decoded : value;
}

/** The paths at which two values differ, at most 50, as JSON pointers. */
export function differingPaths(one: JsonValue | undefined, other: JsonValue | undefined, path = ''): string[] {
  if (isJsonObject(one) && isJsonObject(other)) {
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return keys.flatMap((key) => differingPaths(one[key], other[key], `${path}/${escaped(key)}`)).slice(0, 50);
  }
  if (isJsonArray(one) && isJsonArray(other) && one.length === other.length) {
    return one.flatMap((item, index) => differingPaths(item, other[index], `${path}/${index}`)).slice(0, 50);
  }
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
}

/** A key as a part of a JSON pointer. */
export function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

const SERVERS_OWN = new Set([
  '/metadata/uid',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/managedFields',
  '/metadata/creationTimestamp',
  '/metadata/deletionTimestamp',
  '/metadata/selfLink',
]);

function maskedValue(value: JsonValue, mask: Mask, path: string): JsonValue {
  if (typeof value === 'string') return maskedText(value, mask);
  if (isJsonArray(value)) return value.map((item, index) => maskedValue(item, mask, `${path}/${index}`));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const at = `${path}/${escaped(key)}`;
    if (SERVERS_OWN.has(at) || VERSION_KEY.test(key)) return [];
    return [[key, maskedValue(item, mask, at)] as const];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const VERSION_KEY = /^observedGeneration$|resource-?version$/i;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
// RFC 3339, what names have of it, and seconds or milliseconds since the epoch.
const TIME =
  /\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?|(?<!\d)20\d{6}[-Tt]?\d{4}(?:\d{2})?[Zz]?(?!\d)|(?<!\d)1[6-9]\d{8}(?:\d{3})?(?!\d)/g;

/** The text without the ports of this machine, which each operator chooses anew for its webhooks. */
export function withoutPorts(value: string): string {
  return value.replaceAll(LOOPBACK_PORT, '$1<port>');
}

const LOOPBACK_PORT = /(?<=\/\/)(127\.0\.0\.1:)\d+/g;

function maskedText(value: string, { given, generated }: Mask): string {
  const replaced = withoutPorts(value)
    .replaceAll(UUID, (uid) => (given.includes(uid) ? uid : '<uid>'))
    .replaceAll(TIME, (time) => (given.includes(time) ? time : '<time>'));
  const name = generated.find(({ prefix }) => replaced.startsWith(prefix) && !given.includes(value));
  return name === undefined ? replaced : `${name.prefix}*`;
}

function steadyName(kind: string, metadata: JsonObject, mask: Mask): string {
  const name = text(metadata['name']);
  if (mask.given.includes(JSON.stringify(name))) return name;
  const prefix = text(metadata['generateName']);
  if (prefix !== '' && name.startsWith(prefix)) return `${prefix}*`;
  const namespace = text(metadata['namespace']);
  const rule = mask.generated.find(
    (one) => one.kind === kind && one.namespace === namespace && name.startsWith(one.prefix),
  );
  return rule === undefined ? maskedText(name, { ...mask, generated: [] }) : `${rule.prefix}*`;
}

/** Names that one run alone has, shortened by their last parts until both runs have them. */
function generatedNames(
  mask: Mask,
  first: readonly JsonObject[],
  second: readonly JsonObject[],
): Mask['generated'][number][] {
  const keysOf = (objects: readonly JsonObject[]): Set<string> => new Set(objects.map((one) => objectKey(one, mask)));
  const [one, other] = [keysOf(first), keysOf(second)];
  // Others may refer to what the API server named.
  const byServer = first.flatMap((object) => {
    const { generateName, namespace } = part(object, 'metadata');
    const kind = objectKey(object, mask).split(' ')[0] ?? '';
    return typeof generateName === 'string' ? [{ kind, namespace: text(namespace), prefix: generateName }] : [];
  });
  const shortened = (keys: Set<string>, not: Set<string>): Set<string> =>
    new Set([...keys].filter((key) => !not.has(key)).map((key) => key.replace(/-[^-]*$/, '-')));
  const others = shortened(other, one);
  const learned = [...shortened(one, other)]
    .filter((key) => others.has(key) && key.endsWith('-'))
    .map((key) => {
      const [kind = '', name = ''] = key.split(' ');
      const slash = name.indexOf('/');
      return { kind, namespace: name.slice(0, slash), prefix: name.slice(slash + 1) };
    });
  return [...byServer, ...learned];
}

function without(value: JsonValue, paths: ReadonlySet<string>, path: string): JsonValue {
  if (paths.has(path)) return '<differs>';
  if (isJsonArray(value)) return value.map((item, index) => without(item, paths, `${path}/${index}`));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, without(item, paths, `${path}/${escaped(key)}`)]),
  );
}

function part(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
