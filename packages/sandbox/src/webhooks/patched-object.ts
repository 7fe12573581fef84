import { at, textAt } from '../json-fields.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { PatchRefused } from '../patch/patch-refused.ts';
import { StatusError } from '../status-error.ts';
import { internalError } from './admission-refusal.ts';

/** What the patch of a response makes of an object, or why the response cannot be used. */
export type Patched =
  | { readonly type: 'object'; readonly object: JsonObject | undefined }
  | { readonly type: 'failure'; readonly message: string };

/** Applies the patch of a response; throws the refusal of the request if the patch does not fit the object. */
export function patchedObject(name: string, response: JsonObject, object: JsonObject | undefined): Patched {
  const encoded = textAt(response, 'patch');
  const operations = encoded === '' ? [] : parsedOperations(Buffer.from(encoded, 'base64').toString('utf8'));
  if (typeof operations === 'string') {
    return { type: 'failure', message: `received undecodable patch in webhook response: ${operations}` };
  }
  if (operations.length === 0) return { type: 'object', object };
  if (object === undefined) {
    const problem = 'attempted to modify the object, which is not supported for this operation';
    throw internalError(`admission webhook "${name}" ${problem}`);
  }
  const type = textAt(response, 'patchType');
  if (type !== 'JSONPatch') return { type: 'failure', message: `unsupported patch type ${JSON.stringify(type)}` };
  const patched = operations.reduce<JsonObject>(applyOne, object);
  requireSameKind(patched, object);
  return { type: 'object', object: patched };
}

function parsedOperations(text: string): JsonArray | string {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return [];
    if (isJsonArray(value)) return value;
    const found = typeof value === 'boolean' ? 'bool' : typeof value;
    return `json: cannot unmarshal ${found} into Go value of type jsonpatch.Patch`;
  } catch {
    const [first = ''] = text.trim();
    return first === ''
      ? 'unexpected end of JSON input'
      : `invalid character '${first}' looking for beginning of value`;
  }
}

function applyOne(object: JsonObject, operation: JsonValue): JsonObject {
  try {
    return applyJsonPatch(object, [operation]);
  } catch (error) {
    if (!(error instanceof PatchRefused)) throw error;
    throw internalError(problemOf(isJsonObject(operation) ? operation : {}, object));
  }
}

function problemOf(operation: JsonObject, object: JsonObject): string {
  const name = textAt(operation, 'op');
  const path = textAt(operation, 'path');
  const steps = path.split('/').slice(1).map(unescaped);
  const holder = at(object, ...steps.slice(0, -1));
  switch (name) {
    case 'test':
      return `testing value ${path} failed: test failed`;
    case 'remove':
      if (isJsonObject(holder)) {
        return `error in remove for path: '${path}': Unable to remove nonexistent key: ${steps.at(-1) ?? ''}: missing value`;
      }
      return missingPath(name, path);
    case 'add':
    case 'replace':
    case 'move':
    case 'copy':
      return missingPath(name, path);
    default:
      return `Unexpected kind: ${name}`;
  }
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function missingPath(name: string, path: string): string {
  return `${name} operation does not apply: doc is missing path: "${path}": missing value`;
}

/** A patch must not make another kind of the object. */
function requireSameKind(patched: JsonObject, object: JsonObject): void {
  const [kind, apiVersion] = [textAt(patched, 'kind'), textAt(patched, 'apiVersion')];
  if (kind === textAt(object, 'kind') && apiVersion === textAt(object, 'apiVersion')) return;
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const [ownGroup = ''] = textAt(object, 'apiVersion').includes('/') ? textAt(object, 'apiVersion').split('.') : [''];
  const internal = ownGroup === '' ? 'core' : (ownGroup.split('/', 1)[0] ?? group);
  const message = `converting (${version}.${kind}) to (${internal}.${textAt(object, 'kind')}): unknown conversion`;
  throw new StatusError({ code: 500, message });
}
