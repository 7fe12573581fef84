import { received, type FieldReader } from './field-reader.ts';
import type { TextRules } from './documents.ts';
import { readWithin } from './slow-text.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

const JSON_PATCH_MEMBERS: ReadonlyMap<unknown, 'value' | 'from' | 'none'> = new Map([
  ['add', 'value'],
  ['replace', 'value'],
  ['test', 'value'],
  ['move', 'from'],
  ['copy', 'from'],
  ['remove', 'none'],
]);

/**
 * A field with an object, or with a string that contains it as JSON or YAML; reports problems and returns `undefined`.
 */
export function readObject(reader: FieldReader, field: string, expected: string): JsonObject | undefined {
  const value = readInline(reader, field);
  const isText = typeof reader.value(field) === 'string';
  // A patch without a key changes nothing; only as a string it is sent, as in shell-operator.
  if (isObject(value) && (isText || Object.keys(value).length > 0)) return value;
  if (value !== FAILED) refuse(reader, field, { value, expected });
  return undefined;
}

/**
 * A field with the steps of a JSON Patch, or with a string that contains them; reports problems and returns
 * `undefined`.
 */
export function readJsonPatch(reader: FieldReader, field: string): readonly JsonObject[] | undefined {
  const value = readInline(reader, field);
  if (value === FAILED) return undefined;
  const isText = typeof reader.value(field) === 'string';
  if (!Array.isArray(value) || (value.length === 0 && !isText)) {
    refuse(reader, field, { value, expected: 'an array of JSON Patch operations, not empty' });
    return undefined;
  }
  const before = reader.problems.length;
  const steps: JsonObject[] = [];
  for (const [index, step] of value.entries()) {
    const path = `${field}[${index}]`;
    if (isObject(step)) steps.push(step);
    else refuse(reader, path, { value: step, expected: 'an object with op and path' });
    if (isObject(step)) checkStep(reader, path, step);
  }
  return reader.problems.length === before ? steps : undefined;
}

function checkStep(reader: FieldReader, path: string, step: JsonObject): void {
  const member = JSON_PATCH_MEMBERS.get(step['op']);
  if (member === undefined) {
    refuse(reader, `${path}.op`, { value: step['op'], expected: 'add, remove, replace, move, copy or test' });
  }
  checkPointer(reader, `${path}.path`, step['path']);
  if (member === 'from') checkPointer(reader, `${path}.from`, step['from']);
  if (member === 'value' && !('value' in step)) reader.missing(`${path}.value`, `a value for ${String(step['op'])}`);
}

function checkPointer(reader: FieldReader, path: string, value: unknown): void {
  if (typeof value === 'string' && /^(?:$|\/)/.test(value)) return;
  refuse(reader, path, { value, expected: 'a JSON pointer such as "/metadata/labels/app"' });
}

const FAILED = Symbol('failed');

const RULES: TextRules = { dialect: 'untyped', isExact: true };

function readInline(reader: FieldReader, field: string): unknown {
  const value = reader.value(field);
  if (typeof value !== 'string' || value.trim() === '') return value;
  const { documents, problems } = readWithin(reader.budget, value, RULES);
  const [problem] = problems;
  if (problem !== undefined && problem.number <= (documents[0]?.number ?? problem.number)) {
    reader.fail(field, `line ${problem.line} of the string ${problem.message}`);
    return FAILED;
  }
  const more = documents.length - 1 + problems.length;
  if (more > 0) reader.warnings.push(`${field}: the string holds ${more} more document(s), only the first is used`);
  return documents[0]?.value;
}

function refuse(
  reader: FieldReader,
  field: string,
  { value, expected }: { readonly value: unknown; readonly expected: string },
): void {
  if (value === undefined) reader.missing(field, expected);
  else reader.fail(field, `received ${received(value)}, expected ${expected}`);
}
