import { admitObject } from '../admission.ts';
import type { Target } from '../api-request.ts';
import type { Cluster } from '../cluster.ts';
import { at, textAt, without } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { hasSubresource, type ServedKind } from '../kind.ts';
import { namespaceOf } from '../object-meta.ts';
import { badRequest, StatusError } from '../status-error.ts';
import type { WriteOptions } from '../write-options.ts';
import { internalError } from './admission-refusal.ts';
import { mutated, validated } from './admission.ts';
import { attributesOf, type Operation } from './attributes.ts';

/** A write that webhooks are asked about. */
export interface Reviewed {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly object: JsonObject;
  /** The current object of an update. */
  readonly before: JsonObject | undefined;
}

/** The object that mutating webhooks leave, which must still fit its place. */
export function mutatedForWrite(cluster: Cluster, reviewed: Reviewed): JsonObject {
  const { target, object } = reviewed;
  const after = mutated(cluster, writeAttributes(reviewed)) ?? object;
  if (after === object) return object;
  const namespace = namespaceOf(after);
  if (target.kind.namespaced && namespace !== '' && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return after;
}

/** Asks the validating webhooks about an object that is complete and valid. */
export function validateWrite(cluster: Cluster, reviewed: Reviewed): void {
  validated(cluster, writeAttributes(reviewed));
}

function writeAttributes({ target, options, object, before }: Reviewed): ReturnType<typeof attributesOf> {
  const operation: Operation = before === undefined ? 'CREATE' : 'UPDATE';
  const name = target.name === '' ? textAt(object, 'metadata', 'name') : target.name;
  return attributesOf(
    { ...target, name },
    {
      operation,
      object,
      oldObject: before,
      options: optionsOf(before === undefined ? 'CreateOptions' : 'UpdateOptions', options.given),
      dryRun: options.dryRun,
    },
  );
}

/** The options of a request as webhooks get them. */
export function optionsOf(kind: string, given: JsonObject): JsonObject {
  return { kind, apiVersion: 'meta.k8s.io/v1', ...given };
}

/** An object as it was decoded: with its defaults, but not yet with what the server sets. */
export function decodedObject(
  kind: ServedKind,
  object: JsonObject,
  before: JsonObject | undefined,
  options: WriteOptions,
): JsonObject {
  const { object: filled } = admitObject(kind, object, before, options);
  if (kind.custom !== undefined || !hasSubresource(kind, 'status')) return filled;
  const status = at(object, 'status');
  return status === undefined && before !== undefined ? without(filled, 'status') : { ...filled, status: status ?? {} };
}

/** Decodes what webhooks have left of an object: an object of another form is their failure, not the client's. */
export function decodedAfterWebhooks<Decoded>(decode: () => Decoded): Decoded {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    throw internalError(error.message.replace(/^.* cannot be handled as an? \w+: /, ''));
  }
}
