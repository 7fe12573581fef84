import { at, numberAt, objectAt, objectsAt, stringMapAt, textAt, textsAt } from '../json-fields.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { ageOf } from './human-duration.ts';

/** The text for an empty value. */
export const NONE = '<none>';

/** The text for a value that is not set. */
export const UNSET = '<unset>';

/** The age of the object, since its creation. */
export function age(object: JsonObject, now: number): string {
  return ageOf(at(object, 'metadata', 'creationTimestamp'), now);
}

/** The text at `path`, or `nothing` if it is empty. */
export function textOr(nothing: string, object: JsonValue | undefined, ...path: readonly string[]): string {
  const text = textAt(object, ...path);
  return text === '' ? nothing : text;
}

/** The number at `path`, or 0. */
export function count(object: JsonValue | undefined, ...path: readonly string[]): number {
  return numberAt(object, ...path) ?? 0;
}

/** The number of entries of the list or the map at `path`. */
export function size(object: JsonValue | undefined, ...path: readonly string[]): number {
  const found = at(object, ...path);
  return typeof found === 'object' && found !== null ? Object.keys(found).length : 0;
}

/** The number, text or boolean at `path` as text, or `nothing`. */
export function scalarOr(nothing: string, object: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(object, ...path);
  return found === undefined || found === null || typeof found === 'object' ? nothing : String(found);
}

/** The names and the images of the containers of the Pod template at `path`. */
export function containerCells(object: JsonObject, ...path: readonly string[]): readonly [string, string] {
  const containers = objectsAt(object, ...path, 'spec', 'containers');
  const join = (field: string): string => containers.map((container) => textAt(container, field)).join(',');
  return [join('name'), join('image')];
}

/** The map of labels at `path` in one line. */
export function labelsText(object: JsonValue | undefined, ...path: readonly string[]): string {
  const labels = stringMapAt(object, ...path).map(([name, value]) => `${name}=${value}`);
  return labels.length === 0 ? NONE : labels.toSorted().join(',');
}

/** The label selector at `path` in one line; empty if it selects everything. */
export function selectorText(object: JsonValue | undefined, ...path: readonly string[]): string {
  const selector = objectAt(object, ...path);
  const labels = stringMapAt(selector, 'matchLabels').map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = objectsAt(selector, 'matchExpressions').map((expression) => {
    const key = textAt(expression, 'key');
    return { key, text: expressionText(key, textAt(expression, 'operator'), textsAt(expression, 'values')) };
  });
  const requirements = [...labels, ...expressions].toSorted((left, right) => (left.key < right.key ? -1 : 1));
  return requirements.map(({ text }) => text).join(',');
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${values.toSorted().join(',')})`;
  }
}

/** The label selector at `path` in one line, or `<none>`. */
export function selectorOrNone(object: JsonValue | undefined, ...path: readonly string[]): string {
  const text = selectorText(object, ...path);
  return text === '' ? NONE : text;
}

/** The first `shown` items of a list, and how many more there are. */
export function someOf(list: readonly string[], shown: number, separator = ','): string {
  const text = list.slice(0, shown).join(separator);
  return list.length > shown ? `${text} + ${list.length - shown} more...` : text;
}

/** The condition of this type, or an empty object. */
export function condition(object: JsonObject, type: string): JsonObject {
  return objectsAt(object, 'status', 'conditions').find((found) => textAt(found, 'type') === type) ?? {};
}
