import type { KindReference } from '../kube/kind.ts';
import { received, type FieldReader } from './field-reader.ts';
import type { DeleteOperation, OperationTarget, PatchOperation } from './operation.ts';
import { readJsonPatch, readObject } from './payload.ts';
import { readPreconditions } from './preconditions.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

const DEFAULT_FIELD_MANAGER = 'hooklet';
const EXPECTED_OBJECT = 'a whole Kubernetes object, or a string with its JSON or YAML';

/** Returns what is wrong with a jq expression; `undefined` when it compiles. */
export type CheckJq = (expression: string) => string | undefined;

interface OperationShape {
  /** The fields besides those that all operations have. */
  readonly fields: readonly string[];
  /** Reads the operation; the result is valid only if the reader has no problems afterwards. */
  readonly read: (reader: FieldReader, checkJq: CheckJq) => PatchOperation | undefined;
}

/** Every operation, by its name in the file. */
export const OPERATIONS: Readonly<Record<PatchOperation['operation'], OperationShape>> = {
  Create: { fields: ['object'], read: (reader) => readCreate(reader, 'Create') },
  CreateIfNotExists: { fields: ['object'], read: (reader) => readCreate(reader, 'CreateIfNotExists') },
  CreateOrUpdate: { fields: ['object'], read: (reader) => readCreate(reader, 'CreateOrUpdate') },
  Delete: { fields: ['preconditions'], read: (reader) => readDelete(reader, 'Delete') },
  DeleteInBackground: { fields: ['preconditions'], read: (reader) => readDelete(reader, 'DeleteInBackground') },
  DeleteNonCascading: { fields: ['preconditions'], read: (reader) => readDelete(reader, 'DeleteNonCascading') },
  MergePatch: { fields: ['mergePatch'], read: readMergePatch },
  JSONPatch: { fields: ['jsonPatch'], read: readJsonPatchOperation },
  JQPatch: { fields: ['jqFilter'], read: readJqPatch },
  Apply: { fields: ['object', 'fieldManager', 'force'], read: readApply },
};

function readCreate(
  reader: FieldReader,
  operation: 'Create' | 'CreateIfNotExists' | 'CreateOrUpdate',
): PatchOperation | undefined {
  const found = readKubernetesObject(reader);
  if (found === undefined) return undefined;
  const { object, target, name } = found;
  if (name === undefined && !hasGenerateName(object)) reader.missing('object.metadata.name', 'the name of the object');
  return { operation, object, ...target, ...(name !== undefined && { name }) };
}

function readApply(reader: FieldReader): PatchOperation | undefined {
  const found = readKubernetesObject(reader);
  const fieldManager = reader.text('fieldManager') ?? DEFAULT_FIELD_MANAGER;
  const force = reader.flag('force');
  if (found === undefined) return undefined;
  const { object, target, name } = found;
  if (name === undefined) reader.missing('object.metadata.name', 'the name of the object');
  return { operation: 'Apply', object, ...target, name: name ?? '', fieldManager, force };
}

interface ObjectWithTarget {
  readonly object: JsonObject;
  readonly target: OperationTarget;
  readonly name: string | undefined;
}

function readKubernetesObject(reader: FieldReader): ObjectWithTarget | undefined {
  const common = readCommon(reader);
  const object = readObject(reader, 'object', EXPECTED_OBJECT);
  if (object === undefined) return undefined;
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  // As in shell-operator, an object without it gets the version that the API server prefers.
  const apiVersion = optionalText(object['apiVersion']);
  const kind = readObjectKind(reader, object);
  const namespace = optionalText(metadata['namespace']) ?? reader.text('namespace');
  const reference = { kind, ...(apiVersion !== undefined && { apiVersion }) };
  const target = { ...common, target: reference, ...(namespace !== undefined && { namespace }) };
  const name = optionalText(metadata['name']);
  reader.checkSegment('object.kind', kind);
  checkVersion(reader, 'object.apiVersion', apiVersion);
  reader.checkSegment('object.metadata.namespace', namespace);
  reader.checkSegment('object.metadata.name', name);
  if (common.subresource === undefined) return { object, target, name };
  // An object sent to a subresource may be of another kind: an Eviction to a Pod, a TokenRequest to a ServiceAccount.
  const parent = reader.text('kind') === undefined ? target : { ...target, target: readKind(reader) };
  const parentName = reader.text('name');
  reader.checkSegment('name', parentName);
  return { object, target: parent, name: parentName ?? name };
}

/** Checks an apiVersion, which is a group and a version or a version alone; both become segments of a path. */
function checkVersion(reader: FieldReader, field: string, apiVersion: string | undefined): void {
  const parts = (apiVersion ?? '').split('/');
  if (parts.length > 2) reader.fail(field, `received ${received(apiVersion)}, expected a version such as "apps/v1"`);
  else for (const part of parts) reader.checkSegment(field, part);
}

function readObjectKind(reader: FieldReader, object: JsonObject): string {
  const kind = optionalText(object['kind']);
  if (kind === undefined) reader.missing('object.kind', 'a kind such as "ConfigMap"');
  return kind ?? '';
}

function hasGenerateName(object: JsonObject): boolean {
  return isObject(object['metadata']) && optionalText(object['metadata']['generateName']) !== undefined;
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readDelete(reader: FieldReader, operation: DeleteOperation['operation']): PatchOperation {
  const preconditions = readPreconditions(reader);
  return { operation, ...readTarget(reader), ...(preconditions !== undefined && { preconditions }) };
}

function readMergePatch(reader: FieldReader): PatchOperation | undefined {
  const target = readPatchTarget(reader);
  const mergePatch = readObject(reader, 'mergePatch', 'an object with at least one key, or its JSON or YAML');
  return mergePatch && { operation: 'MergePatch', ...target, mergePatch };
}

function readJsonPatchOperation(reader: FieldReader): PatchOperation | undefined {
  const target = readPatchTarget(reader);
  const jsonPatch = readJsonPatch(reader, 'jsonPatch');
  return jsonPatch && { operation: 'JSONPatch', ...target, jsonPatch };
}

function readJqPatch(reader: FieldReader, checkJq: CheckJq): PatchOperation {
  const target = readPatchTarget(reader);
  const jqFilter = reader.requiredText('jqFilter', 'a jq expression that changes the object');
  const problem = jqFilter === '' ? undefined : checkJq(jqFilter);
  if (problem !== undefined) reader.fail('jqFilter', problem);
  return { operation: 'JQPatch', ...target, jqFilter };
}

type NamedTarget = OperationTarget & { readonly name: string };

function readPatchTarget(reader: FieldReader): NamedTarget & { readonly ignoreMissingObject: boolean } {
  return { ...readTarget(reader), ignoreMissingObject: reader.flag('ignoreMissingObject') };
}

function readTarget(reader: FieldReader): NamedTarget {
  const target = readKind(reader);
  const name = reader.requiredText('name', 'the name of the object');
  const namespace = reader.text('namespace');
  reader.checkSegment('name', name);
  reader.checkSegment('namespace', namespace);
  return { target, name, ...(namespace !== undefined && { namespace }), ...readCommon(reader) };
}

function readKind(reader: FieldReader): KindReference {
  const kind = reader.requiredText('kind', 'the kind of the object, such as "ConfigMap"');
  const apiVersion = reader.text('apiVersion');
  reader.checkSegment('kind', kind);
  checkVersion(reader, 'apiVersion', apiVersion);
  return { kind, ...(apiVersion !== undefined && { apiVersion }) };
}

function readCommon(reader: FieldReader): Pick<OperationTarget, 'subresource' | 'ignoreHookError'> {
  const subresource = reader.text('subresource')?.replace(/^\/+/, '') ?? '';
  reader.checkSegment('subresource', subresource);
  return { ...(subresource !== '' && { subresource }), ignoreHookError: reader.flag('ignoreHookError') };
}
