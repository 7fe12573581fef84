/** Any JSON value. Values are shared between requests, so they must not be changed in place. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;

/** A JSON array. */
export type JsonArray = readonly JsonValue[];

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether `value`, parsed from JSON or YAML, is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `value`, parsed from JSON or YAML, is an array. */
export function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}
