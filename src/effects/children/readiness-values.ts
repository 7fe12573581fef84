import { isObject, type JsonObject } from '../../lib/json-object.ts';

/** How far an object is. */
export interface Readiness {
  readonly state: 'ready' | 'inProgress' | 'failed' | 'terminating';
  /** One word in CamelCase. */
  readonly reason: string;
  /** What follows the name of the object: `1 of 3 replicas are ready`. */
  readonly message: string;
}

/** The object is as its spec wants it. */
export function ready(message: string): Readiness {
  return { state: 'ready', reason: 'Ready', message: shortened(message) };
}

/** The object is on its way, or waits for something. */
export function inProgress(reason: string, message: string): Readiness {
  return { state: 'inProgress', reason, message: shortened(message) };
}

/** The object will not become ready without a change. */
export function failed(reason: string, message: string): Readiness {
  return { state: 'failed', reason, message: shortened(message) };
}

const MAX_MESSAGE = 300;

function shortened(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}

/** A condition of a status, with empty texts for what it lacks. */
export interface StatusCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The condition of a type, if the status has it. */
export function conditionOf(object: JsonObject, type: string): StatusCondition | undefined {
  const { conditions } = recordAt(object, 'status');
  if (!Array.isArray(conditions)) return undefined;
  const found: unknown = conditions.find((condition: unknown) => isObject(condition) && condition['type'] === type);
  if (!isObject(found)) return undefined;
  return { status: textAt(found, 'status'), reason: textAt(found, 'reason'), message: textAt(found, 'message') };
}

/** The object at a path; empty where there is none. */
export function recordAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  let value: unknown = object;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return isObject(value) ? value : {};
}

/** The number in a field. */
export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === 'number' ? value : undefined;
}

/** The text in a field; empty where there is none. */
export function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}

/** The objects in a list. */
export function recordsAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}
