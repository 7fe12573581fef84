import { reconcileMark } from '../../hook/reconcile-mark.ts';
import { metadataOf } from '../api-object.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

/** The label of every child with the binding that it belongs to; a watch that selects by it holds our children alone. */
export const BINDING_LABEL = 'hooklet.dev/reconcile';
/** The label of every child with the uid of its parent. */
export const PARENT_LABEL = 'hooklet.dev/parent-uid';
/** The annotation of every child with a hash of what was applied last. */
export const APPLIED_ANNOTATION = 'hooklet.dev/applied';

/** What distinguishes the children of a binding from all other objects. */
export interface Marks {
  /** The value of `BINDING_LABEL`. */
  readonly binding: string;
  /** The field manager of every write. */
  readonly fieldManager: string;
}

/** The object that children belong to. */
export interface Parent {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The marks of a binding. They stay the same when the hook moves to another file, or the parent to another version. */
export function marksOf(binding: string, parent: { readonly apiVersion: string; readonly kind: string }): Marks {
  const value = reconcileMark({ ...parent, name: binding });
  return { binding: value, fieldManager: `hooklet-${value}` };
}

/** Whether an owner reference to the parent may be on a child in `namespace`, which is empty for a cluster-scoped kind. */
export function canReference(parent: Parent, namespace: string): boolean {
  return parent.namespace === '' || parent.namespace === namespace;
}

/** The object with the labels of a child and, where it may be, an owner reference to the parent. */
export function withMarks(object: JsonObject, parent: Parent, marks: Marks): JsonObject {
  const metadata = metadataOf(object);
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  const { namespace } = metadata;
  const { apiVersion, kind, name, uid } = parent;
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...labels, [BINDING_LABEL]: marks.binding, [PARENT_LABEL]: uid },
      ...(canReference(parent, typeof namespace === 'string' ? namespace : '') && { ownerReferences: [reference] }),
    },
  };
}

/** The object with the annotation that holds the hash of what is applied. */
export function withAppliedHash(object: JsonObject, hash: string): JsonObject {
  const metadata = metadataOf(object);
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [APPLIED_ANNOTATION]: hash } } };
}
