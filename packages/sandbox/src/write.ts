import { isDeepStrictEqual } from 'node:util';
import { admitObject } from './admission.ts';
import type { Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { storeOrRemove } from './finalization.ts';
import { at, numberAt, objectAt, objectsAt, textAt, without } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { hasSubresource, type ServedKind } from './kind.ts';
import { hasGeneration } from './kind-strategy.ts';
import { metadataCauses } from './metadata-validation.ts';
import { requireOpenNamespace } from './namespaces.ts';
import { finalizersOf, nameOf, resourceVersionOf, timestamp, uidOf, withMetadata } from './object-meta.ts';
import { trackUpdate } from './patch/apply-patch.ts';
import { once } from './request-scope.ts';
import { alreadyExists, conflict, invalid, modifiedMeanwhile, StatusError } from './status-error.ts';
import type { StoredObject } from './storage.ts';
import { hasWebhooks } from './webhooks/admission.ts';
import { servedObject, storedForms } from './webhooks/conversion.ts';
import { decodedAfterWebhooks, decodedObject, mutatedForWrite, validateWrite } from './webhooks/write-admission.ts';
import type { WriteOptions } from './write-options.ts';

/** One write of a whole object, in the version of the target's kind. */
export interface Write {
  readonly target: Target;
  readonly object: JsonObject;
  readonly options: WriteOptions;
  /** Whether the object's `managedFields` are already up to date, as after an apply patch. */
  readonly managed: boolean;
  /** Whether a patch made the object: the messages of some rules differ then. */
  readonly patched?: boolean;
}

/** Creates an object and returns its new state. */
export function createObject(cluster: Cluster, write: Write): JsonObject {
  const { target, options } = write;
  const { kind, namespace } = target;
  const { object, managed } = hasWebhooks(cluster) ? mutatedOnCreate(cluster, write) : write;
  if (resourceVersionOf(object) !== '') {
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
  }
  const place = `${kind.group}/${kind.collection} ${namespace ?? ''}`;
  const name = nameOf(object) || once(cluster, 'name', () => generatedName(cluster, object, place));
  const named = withMetadata(object, {
    name,
    namespace: kind.namespaced ? namespace : undefined,
    uid: once(cluster, 'uid', () => cluster.ids.uid(`${place}/${name}`)),
    generation: hasGeneration(kind) ? 1 : undefined,
    creationTimestamp: timestamp(cluster.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    managedFields: managed ? at(object, 'metadata', 'managedFields') : undefined,
  });
  requireOpenNamespace(cluster, target, nameOf(named));
  const admitted = admittedAs(cluster, write, (strictness) =>
    admitObject(kind, startingStatus(kind, named), undefined, strictness),
  );
  const causes = [...metadataCauses(kind, admitted.object), ...admitted.causes];
  if (causes.length > 0) throw invalid(kind, nameOf(admitted.object), causes);
  const tracked = managed ? admitted.object : track(cluster, { target, object: admitted.object, options });
  validateWrite(cluster, { target, options, object: tracked, before: undefined });
  return storeNew(cluster, target, tracked, options.dryRun);
}

function storeNew(cluster: Cluster, { kind, namespace }: Target, object: JsonObject, dryRun: boolean): JsonObject {
  const name = nameOf(object);
  if (cluster.storage.get(kind.collection, namespace, name) !== undefined) throw alreadyExists(kind, name);
  const forms = storedForms(cluster, kind, object);
  return forms.served(dryRun ? forms.stored : cluster.storage.put(kind.collection, forms.stored).object);
}

/** What mutating webhooks leave of an object that is to be created, with its managedFields. */
function mutatedOnCreate(cluster: Cluster, write: Write): Pick<Write, 'object' | 'managed'> {
  const { target, options, managed } = write;
  const { kind, namespace } = target;
  requireOpenNamespace(cluster, target, nameOf(write.object));
  const object = once(cluster, 'decoded', () => {
    const clean = withMetadata(write.object, {
      namespace: kind.namespaced ? namespace : undefined,
      uid: undefined,
      creationTimestamp: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      managedFields: managed ? at(write.object, 'metadata', 'managedFields') : undefined,
    });
    const decoded = decodedObject(kind, clean, undefined, options);
    return managed ? decoded : track(cluster, { target, object: decoded, options });
  });
  return { object: mutatedForWrite(cluster, { target, options, object, before: undefined }), managed: true };
}

/** What webhooks left of an object has been decoded before: unknown fields in it are theirs, and are dropped. */
function admittedAs<Decoded>(
  cluster: Cluster,
  { target, options }: Write,
  admit: (strictness: { readonly strict: boolean }) => Decoded,
): Decoded {
  if (!hasWebhooks(cluster)) return admit(options);
  const lenient = (): Decoded => admit({ strict: false });
  return target.kind.custom === undefined ? decodedAfterWebhooks(lenient) : lenient();
}

function generatedName({ ids }: Cluster, object: JsonObject, place: string): string {
  const prefix = textAt(object, 'metadata', 'generateName');
  if (prefix === '') return '';
  return prefix.slice(0, 58) + ids.letters(`${place}/${prefix}`);
}

/** A create cannot set the status of a kind with a status subresource. */
function startingStatus(kind: ServedKind, object: JsonObject): JsonObject {
  if (!hasSubresource(kind, 'status')) return object;
  return without(object, 'status');
}

/** Replaces an object and returns its new state; `current` is the stored object that the change is based on. */
export function updateObject(cluster: Cluster, current: StoredObject, write: Write): JsonObject {
  const { target, options } = write;
  const { kind } = target;
  const before = servedObject(cluster, kind, current.object);
  const { object, managed } = hasWebhooks(cluster) ? mutatedOnUpdate(cluster, before, write) : write;
  checkPreconditions(write, current);
  const wanted = wantedObject(target, object, before);
  const admitted = admittedAs(cluster, write, (strictness) => admitObject(kind, wanted, before, strictness));
  const causes = [...metadataCauses(kind, admitted.object, before), ...admitted.causes];
  if (causes.length > 0) throw invalid(kind, current.name, causes);
  const counted = target.subresource === 'status' ? admitted.object : withGeneration(kind, admitted.object, before);
  const tracked = managed ? counted : track(cluster, { target, object: counted, options, before });
  if (target.subresource !== 'scale') validateWrite(cluster, { target, options, object: tracked, before });
  if (isSame(tracked, before)) return before;
  const forms = storedForms(cluster, kind, tracked);
  if (options.dryRun) return forms.served(forms.stored);
  return forms.served(storeOrRemove(cluster.storage, current, forms.stored));
}

/** What mutating webhooks leave of an object that is to be updated, with its managedFields. */
function mutatedOnUpdate(cluster: Cluster, before: JsonObject, write: Write): Pick<Write, 'object' | 'managed'> {
  const { target, options, managed } = write;
  if (target.subresource === 'scale') return write;
  const { kind } = target;
  const object = decodedObject(kind, mergedMetadata(write.object, before), before, options);
  if (managed) return { object: mutatedForWrite(cluster, { target, options, object, before }), managed };
  const next = withGeneration(kind, wantedObject(target, object, before), before);
  const tracked = track(cluster, { target, object: next, options, before });
  const managedFields = at(tracked, 'metadata', 'managedFields');
  const sent = withMetadata(object, { managedFields });
  return { object: mutatedForWrite(cluster, { target, options, object: sent, before }), managed: true };
}

function checkPreconditions({ target: { kind }, object, patched }: Write, current: StoredObject): void {
  const uid = uidOf(object);
  if (!patched && uid !== '' && uid !== current.uid) {
    const key = `/registry/${kind.plural}/${current.key.replace(/^\//, '')}`;
    const precondition = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.uid}`;
    const explanation = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${precondition}`;
    throw conflict(kind, current.name, explanation);
  }
  const version = resourceVersionOf(object);
  if (version !== '' && version !== '0' && version !== String(current.revision)) {
    throw modifiedMeanwhile(kind, current.name);
  }
}

/** Returns the object with the fields that a writer cannot change taken from `before`. */
function wantedObject({ kind, subresource }: Target, object: JsonObject, before: JsonObject): JsonObject {
  const merged = mergedMetadata(object, before);
  if (subresource === 'status') return statusOnly(kind, merged, before);
  if (!hasSubresource(kind, 'status')) return merged;
  return replaceField(merged, before, 'status');
}

function mergedMetadata(object: JsonObject, before: JsonObject): JsonObject {
  const keeps = (field: string): JsonValue | undefined => at(before, 'metadata', field);
  return withMetadata(object, {
    name: keeps('name'),
    generateName: keeps('generateName'),
    namespace: keeps('namespace'),
    uid: uidOf(object) === '' ? keeps('uid') : uidOf(object),
    resourceVersion: keeps('resourceVersion'),
    generation: keeps('generation'),
    creationTimestamp: keeps('creationTimestamp'),
    deletionTimestamp: at(object, 'metadata', 'deletionTimestamp') ?? keeps('deletionTimestamp'),
    deletionGracePeriodSeconds: keeps('deletionGracePeriodSeconds'),
    managedFields: at(object, 'metadata', 'managedFields') ?? keeps('managedFields'),
  });
}

/** A write to `status` changes nothing else, except some metadata of built-in kinds. */
function statusOnly(kind: ServedKind, object: JsonObject, before: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  const base = { ...before, metadata: statusMetadata(kind, metadata, objectAt(before, 'metadata')) };
  return replaceField(withMetadata(base, {}), object, 'status');
}

function statusMetadata(kind: ServedKind, metadata: JsonObject, before: JsonObject): JsonObject {
  const { annotations = {}, managedFields = [], uid = '' } = metadata;
  if (kind.custom !== undefined) return { ...before, managedFields };
  // Another uid is refused afterwards.
  return kind.group === '' ? metadata : { ...before, annotations, managedFields, uid };
}

function replaceField(object: JsonObject, from: JsonObject, field: string): JsonObject {
  const value = from[field];
  return value === undefined ? without(object, field) : { ...object, [field]: value };
}

function withGeneration(kind: ServedKind, object: JsonObject, before: JsonObject): JsonObject {
  if (!hasGeneration(kind)) return object;
  const ignored = hasSubresource(kind, 'status') ? ['metadata', 'status'] : ['metadata'];
  const counted = (state: JsonObject): JsonValue => [
    without(state, ...ignored),
    kind.collection === 'deployments.apps' ? objectAt(state, 'metadata', 'annotations') : {},
  ];
  if (isDeepStrictEqual(counted(object), counted(before))) return object;
  return withMetadata(object, { generation: (numberAt(before, 'metadata', 'generation') ?? 0) + 1 });
}

interface Tracked {
  readonly target: Target;
  readonly object: JsonObject;
  readonly options: WriteOptions;
  readonly before?: JsonObject;
}

function track(cluster: Cluster, { target, object, options, before }: Tracked): JsonObject {
  const { kind, subresource } = target;
  return trackUpdate(before, object, {
    name: options.fieldManager,
    operation: 'Update',
    ...(subresource === '' ? {} : { subresource }),
    time: timestamp(cluster.now()),
    kind: patchKind(kind),
  });
}

/** The kind in the form that patches and managedFields need. */
export function patchKind(kind: ServedKind): { group: string; version: string; kind: string; schema?: JsonObject } {
  const { group, version, custom } = kind;
  return { group, version, kind: kind.kind, ...(custom === undefined ? {} : { schema: custom.schema }) };
}

/** A write that changes nothing but times in managedFields is not stored and gets no new resourceVersion. */
function isSame(object: JsonObject, before: JsonObject): boolean {
  return (
    isDeepStrictEqual(withoutTimes(object), withoutTimes(before)) &&
    finalizersOf(object).length === finalizersOf(before).length
  );
}

function withoutTimes(object: JsonObject): JsonObject {
  const managedFields = objectsAt(object, 'metadata', 'managedFields').map((entry) => without(entry, 'time'));
  return withMetadata(object, { managedFields });
}
