import type { PatchOperation } from './operation.ts';

/** What an operation sets, by path: `data.time`. */
export type WrittenFields = ReadonlyMap<string, string>;

const MAX_FIELDS = 500;
const MAX_TEXT = 200;
const MAX_TOLD = 10;

/** The fields that an operation sets; none of a deletion, nor of a JQPatch, whose result is not known here. */
export function fieldsOf(operation: PatchOperation): WrittenFields {
  const fields = new Map<string, string>();
  if ('object' in operation) collect(operation.object, '', fields);
  else if (operation.operation === 'MergePatch') collect(operation.mergePatch, '', fields);
  else if (operation.operation === 'JSONPatch') {
    for (const { path, value } of operation.jsonPatch) collect(value, dotted(path), fields);
  }
  return fields;
}

/** The paths, ten at most, at which two writes differ; all of the later one where there is no earlier one. */
export function differingFields(
  before: WrittenFields = new Map(),
  after: WrittenFields = new Map(),
): readonly string[] {
  return [...after]
    .filter(([path, text]) => before.get(path) !== text)
    .map(([path]) => path)
    .slice(0, MAX_TOLD);
}

function collect(value: unknown, path: string, fields: Map<string, string>): void {
  if (fields.size >= MAX_FIELDS) return;
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) collect(inner, path === '' ? key : `${path}.${key}`, fields);
  } else {
    fields.set(path, (JSON.stringify(value) ?? '').slice(0, MAX_TEXT));
  }
}

/** `data.time` of `/data/time`. */
function dotted(pointer: unknown): string {
  return String(pointer).slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}
