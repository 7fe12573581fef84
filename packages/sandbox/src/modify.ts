import { json, type ApiRequest, type Reply, type Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { textAt } from './json-fields.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { isCreatedOnUpdate, needsResourceVersion } from './kind-strategy.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';
import { nameOf, namespaceOf, resourceVersionOf, timestamp, uidOf, withMetadata } from './object-meta.ts';
import { emptiedCauses } from './custom-object.ts';
import { applyPatch } from './patch/apply-patch.ts';
import { findObject } from './read.ts';
import { withoutResetFields } from './reset-fields.ts';
import {
  badRequest,
  type Cause,
  conflict,
  forbiddenValue,
  invalid,
  invalidValue,
  notFound,
  requiredValue,
  StatusError,
} from './status-error.ts';
import { servedObject } from './webhooks/conversion.ts';
import { createObject, patchKind, updateObject } from './write.ts';
import { parseObjectBody, parsePatch, parseWriteOptions, type WriteOptions } from './write-options.ts';

/** Answers a POST to a collection. */
export function postObject(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const options = parseWriteOptions(request, 'CreateOptions');
  const object = typed(target.kind, parseObjectBody(request, target.kind.kind));
  const { namespace } = target;
  const given = namespaceOf(object);
  if (target.kind.namespaced && given !== '' && given !== namespace) throw wrongNamespace();
  return json(createObject(cluster, { target, object, options, managed: false }), 201);
}

/** Answers a PUT to an object or to its status. */
export function putObject(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const options = parseWriteOptions(request, 'UpdateOptions');
  const object = typed(target.kind, parseObjectBody(request, target.kind.kind));
  checkIdentity(target, object, 'put');
  const { kind, namespace, name } = target;
  const current = cluster.storage.get(kind.collection, namespace, name);
  if (current === undefined) {
    if (!isCreatedOnUpdate(kind) || target.subresource !== '') throw notFound(kind, name);
    return json(createObject(cluster, { target, object, options, managed: false }), 201);
  }
  if (needsResourceVersion(kind) && ['', '0'].includes(resourceVersionOf(object)))
    throw unconditionalUpdate(kind, name);
  return json(updateObject(cluster, current, { target, object, options, managed: false }));
}

/** In this message the server names the resource, elsewhere the kind. */
function unconditionalUpdate(kind: ServedKind, name: string): StatusError {
  const cause = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  return invalid({ group: kind.group, kind: kind.plural }, name, [cause]);
}

/** Answers a PATCH of an object or of its status. */
export function patchObject(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const type = patchType(request);
  const options = parseWriteOptions(request, 'PatchOptions');
  const patch = parsePatch(request);
  checkPatchOptions(type, request);
  if (type === 'apply') return applyObject(cluster, target, withoutResetFields(target, patch), options);
  const current = findObject(cluster, target);
  const object = applyPatch({
    ...patchBasics(cluster, target, options),
    type,
    current: servedObject(cluster, target.kind, current.object),
    patch,
  });
  checkIdentity(target, object, 'patch');
  checkPatchedType(target.kind, object);
  const write = { target, object, options, managed: false, patched: true };
  return json(asPatchProblem(object, () => updateObject(cluster, current, write)));
}

const STRICT = 'strict decoding error: ';

/** A strict decoding error after a patch is reported as a problem of the patch. */
function asPatchProblem<Result>(object: JsonObject, update: () => Result): Result {
  try {
    return update();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400 || !error.message.includes(STRICT)) throw error;
    const rule = error.message.slice(error.message.indexOf(STRICT));
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(object), rule)]);
  }
}

function checkPatchOptions(type: PatchType, { query }: ApiRequest): void {
  const causes: Cause[] = [];
  if (type === 'apply' && !query.has('fieldManager')) {
    causes.push(requiredValue('fieldManager', 'is required for apply patch'));
  }
  if (type !== 'apply' && query.has('force')) {
    causes.push(forbiddenValue('force', 'may not be specified for non-apply patch'));
  }
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', causes);
}

function applyObject(cluster: Cluster, target: Target, patch: unknown, options: WriteOptions): Reply {
  const { kind, namespace, name } = target;
  const current = cluster.storage.get(kind.collection, namespace, name);
  const basics = patchBasics(cluster, target, options);
  if (current === undefined) {
    if (target.subresource !== '') throw notFound(kind, name);
    const object = typed(kind, applyPatch({ ...basics, type: 'apply', current: undefined, patch }));
    checkIdentity(target, object, 'put');
    const created = withoutVersion(target, object);
    return json(createObject(cluster, { target, object: created, options, managed: true }), 201);
  }
  const before = servedObject(cluster, kind, current.object);
  const object = applyPatch({ ...basics, type: 'apply', current: before, patch });
  checkIdentity(target, object, 'patch');
  const emptied = kind.custom === undefined ? [] : emptiedCauses(kind.custom, object);
  if (emptied.length > 0) throw invalid(kind, name, emptied);
  if (needsResourceVersion(kind) && appliedVersion(patch) === '0') throw unconditionalUpdate(kind, name);
  return json(updateObject(cluster, current, { target, object, options, managed: true, patched: true }));
}

/** An apply that creates ignores any resourceVersion, so that one which no object has makes it a create alone. */
function withoutVersion({ kind, name }: Target, object: JsonObject): JsonObject {
  const [version, uid] = [resourceVersionOf(object), uidOf(object)];
  if (version !== '' && !/^\d+$/.test(version)) {
    throw new StatusError({
      code: 500,
      message: `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`,
    });
  }
  if (uid !== '') {
    throw conflict(
      kind,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  return withMetadata(object, { resourceVersion: undefined });
}

function appliedVersion(patch: unknown): string {
  return isJsonObject(patch) ? resourceVersionOf(patch) : '';
}

function patchBasics(
  cluster: Cluster,
  { kind, subresource }: Target,
  { fieldManager, force }: WriteOptions,
): { fieldManager: string; force: boolean; kind: ReturnType<typeof patchKind>; now: string; subresource?: string } {
  const basics = { fieldManager, force, kind: patchKind(kind), now: timestamp(cluster.now()) };
  return subresource === '' ? basics : { ...basics, subresource };
}

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const PATCH_TYPES: { readonly [contentType: string]: PatchType } = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** The patch type for the request's content type; throws the server's 415 for any other. */
export function patchType(request: ApiRequest): PatchType {
  const contentType = (request.headers['content-type'] ?? '').split(';', 1).join('').trim();
  const type = PATCH_TYPES[contentType];
  if (type !== undefined) return type;
  const message = '415: Unsupported Media Type';
  throw new StatusError({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
}

/** Returns the object with kind and apiVersion; throws if it has others than the path. */
function typed(kind: ServedKind, object: JsonObject): JsonObject {
  const expected = apiVersionOf(kind);
  const [givenKind, givenVersion] = [textAt(object, 'kind'), textAt(object, 'apiVersion')];
  if (kind.custom !== undefined) checkCustomType(kind, object);
  else if (givenVersion !== '' && givenVersion !== expected) throw unknownVersion(kind, givenKind, givenVersion);
  else if (givenKind !== '' && givenKind !== kind.kind) throw unknownConversion(kind, givenKind);
  return { ...object, kind: kind.kind, apiVersion: expected };
}

function checkCustomType(kind: ServedKind, object: JsonObject): void {
  const [givenKind, givenVersion] = [textAt(object, 'kind'), textAt(object, 'apiVersion')];
  const expected = apiVersionOf(kind);
  if (givenKind === '') {
    const text = JSON.stringify(object);
    const problem = `Object 'Kind' is missing in '${text}'`;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): ${problem} (${text.slice(0, 32)} ...)`,
    );
  }
  if (givenVersion !== expected) {
    throw badRequest(
      `the API version in the data (${givenVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (givenKind === kind.kind) return;
  const cause = invalidValue('kind', givenKind, `must be ${kind.kind}`);
  throw invalid({ group: kind.group, kind: givenKind }, nameOf(object), [cause]);
}

function unknownVersion({ kind }: ServedKind, givenKind: string, givenVersion: string): StatusError {
  const version = givenVersion.slice(givenVersion.indexOf('/') + 1);
  return badRequest(
    `${givenKind} in version "${version}" cannot be handled as a ${kind}: no kind "${givenKind}" is registered for version "${givenVersion}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function unknownConversion({ kind, group, version }: ServedKind, givenKind: string): StatusError {
  const internal = group === '' ? 'core' : group.split('.', 1).join('');
  return badRequest(
    `${givenKind} in version "${version}" cannot be handled as a ${kind}: converting (${version}.${givenKind}) to (${internal}.${kind}): unknown conversion`,
  );
}

/** A patch must not change the kind or the apiVersion of an object. */
function checkPatchedType(kind: ServedKind, object: JsonObject): void {
  if (textAt(object, 'kind') === kind.kind && textAt(object, 'apiVersion') === apiVersionOf(kind)) return;
  const rule = `${textAt(object, 'apiVersion')}, Kind=${textAt(object, 'kind')} is not ${apiVersionOf(kind)}, Kind=${kind.kind}`;
  throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(object), rule)]);
}

function wrongNamespace(): StatusError {
  return badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function undeterminedName(target: Target): StatusError {
  return badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`);
}

function checkIdentity(target: Target, object: JsonObject, verb: 'put' | 'patch'): void {
  const name = nameOf(object);
  if (name === '' && verb === 'put') throw undeterminedName(target);
  if (name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  }
  const namespace = namespaceOf(object);
  if (target.kind.namespaced && namespace !== '' && namespace !== target.namespace) throw wrongNamespace();
}
