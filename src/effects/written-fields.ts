import type { PatchOperation } from './operation.ts';

/**
 * The fields that a patch operation sets, to explain a loop: when a hook is triggered by its own write again and again,
 * the warning names the fields that differ between two of its writes. The operator calls `fieldsOf` only for a write
 * that is part of such a series, and `differingFields` when it warns.
 *
 * What must hold: memory is bounded, so at most 500 fields with 200 characters of their values are kept. The result is
 * a hint for a person; nothing else depends on it.
 */

/** The JSON text of each value, shortened, by its path such as `data.time`. */
export type WrittenFields = ReadonlyMap<string, string>;

const MAX_FIELDS = 500;
const MAX_TEXT = 200;
const MAX_DIFFERING = 10;

/** The fields that an operation sets; none for a deletion, nor for a JQPatch, whose result is not known here. */
export function fieldsOf(operation: PatchOperation): WrittenFields {
  const fields = new Map<string, string>();
  if ('object' in operation) collect(operation.object, '', fields);
  else if (operation.operation === 'MergePatch') collect(operation.mergePatch, '', fields);
  else if (operation.operation === 'JSONPatch') {
    for (const { path, value } of operation.jsonPatch) collect(value, dotted(path), fields);
  }
  return fields;
}

/**
 * The first 10 paths at which the later write differs from the earlier one; all its paths count when there is no
 * earlier one.
 */
export function differingFields(
  before: WrittenFields = new Map(),
  after: WrittenFields = new Map(),
): readonly string[] {
  return [...after]
    .filter(([path, text]) => before.get(path) !== text)
    .map(([path]) => path)
    .slice(0, MAX_DIFFERING);
}

function collect(value: unknown, path: string, fields: Map<string, string>): void {
  if (fields.size >= MAX_FIELDS) return;
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) collect(inner, path === '' ? key : `${path}.${key}`, fields);
  } else {
    fields.set(path, (JSON.stringify(value) ?? '').slice(0, MAX_TEXT));
  }
}

/** Converts a JSON pointer: `/data/time` becomes `data.time`. */
function dotted(pointer: unknown): string {
  return String(pointer).slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}
