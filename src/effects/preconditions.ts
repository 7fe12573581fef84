import { received, type FieldReader } from './field-reader.ts';
import type { Preconditions } from './operation.ts';
import { isObject } from '../lib/json-object.ts';

const FIELDS = ['uid', 'resourceVersion'] as const;
const EXPECTED = 'an object with uid, resourceVersion or both';

/** Reads the `preconditions` of a deletion. Unknown fields are problems: ignoring one could delete the wrong object. */
export function readPreconditions(reader: FieldReader): Preconditions | undefined {
  const value = reader.value('preconditions');
  if (value === undefined) return undefined;
  if (!isObject(value) || Object.keys(value).length === 0) {
    reader.fail('preconditions', `received ${received(value)}, expected ${EXPECTED}`);
    return undefined;
  }
  const read: { uid?: string; resourceVersion?: string } = {};
  for (const [key, text] of Object.entries(value)) {
    const field = FIELDS.find((known) => known === key);
    if (field === undefined) reader.fail(`preconditions.${key}`, `is no precondition, expected ${EXPECTED}`);
    else if (typeof text === 'string' && text !== '') read[field] = text;
    else reader.fail(`preconditions.${key}`, `received ${received(text)}, expected a string that is not empty`);
  }
  return read;
}
