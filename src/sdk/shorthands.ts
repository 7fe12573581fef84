/* Values that hooks write often, made from what they have at hand. */

import type { ObjectLike, OwnerReference } from './kubernetes-object.ts';
import type { ConditionToSet, EventToRecord } from './result.ts';

export interface OwnedByOptions {
  /** Whether the parent is the one that manages the object; an object has at most one such owner. Default true. */
  readonly controller?: boolean;
  /**
   * Whether the parent stays until the object is gone, when it is deleted in the foreground; needs a right on the
   * `finalizers` of the parent on some clusters. Default false.
   */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * The entry of `metadata.ownerReferences` with which an object is deleted after its parent, which must be in the same
 * namespace or in none. The parent is an object that a hook was given.
 */
export function ownedBy(parent: ObjectLike, options: OwnedByOptions = {}): OwnerReference {
  const { apiVersion, kind, metadata = {} } = parent;
  const { name } = metadata;
  const uid: unknown = Reflect.get(metadata, 'uid');
  const missing = Object.entries({ apiVersion, kind, 'metadata.name': name, 'metadata.uid': uid })
    .filter(([, value]) => typeof value !== 'string' || value === '')
    .map(([field]) => field);
  if (apiVersion === undefined || kind === undefined || name === undefined || missing.length > 0) {
    throw new TypeError(
      `ownedBy: the parent has no ${missing.join(', ')}; expected an object as the API server has it`,
    );
  }
  const { controller = true, blockOwnerDeletion = false } = options;
  return { apiVersion, kind, name, uid: String(uid), controller, ...(blockOwnerDeletion && { blockOwnerDeletion }) };
}

/** A condition for `result.condition`, and for `conditions` of a reconcile hook; `reason` is one word in CamelCase. */
export function condition(
  type: string,
  status: boolean | 'True' | 'False' | 'Unknown',
  reason: string,
  message?: string,
): ConditionToSet {
  const word = typeof status === 'string' ? status : status ? 'True' : 'False';
  return { type, status: word, reason, ...(message !== undefined && { message }) };
}

/**
 * A Kubernetes Event for `result.event`, and for `events` of a reconcile hook; without `about` it is about the object of
 * the context.
 */
export function event(type: 'Normal' | 'Warning', reason: string, message?: string, about?: ObjectLike): EventToRecord {
  return { type, reason, ...(message !== undefined && { message }), ...(about && { object: addressOf(about) }) };
}

function addressOf({
  apiVersion,
  kind,
  metadata: { name, namespace } = {},
}: ObjectLike): NonNullable<EventToRecord['object']> {
  if (apiVersion === undefined || kind === undefined || name === undefined) {
    throw new TypeError('event: the object that it is about has no apiVersion, kind or metadata.name');
  }
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name };
}
