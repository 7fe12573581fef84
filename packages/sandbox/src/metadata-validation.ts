import { arrayAt, at, objectsAt, stringMapAt, textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { labelValueProblems, nameProblems, qualifiedNameProblems } from './object-names.ts';
import { finalizersOf, isTerminating, nameOf, uidOf } from './object-meta.ts';
import { forbiddenValue, invalidValue, requiredValue, type Cause } from './status-error.ts';

/**
 * Validates the metadata of an object; returns the causes of its refusal. `before` is the current object of an update,
 * undefined for a create.
 */
export function metadataCauses(kind: ServedKind, object: JsonObject, before?: JsonObject): readonly Cause[] {
  return [
    ...(before === undefined ? nameCauses(kind, object) : changeCauses(object, before)),
    ...labelCauses(object),
    ...annotationCauses(object),
    ...ownerCauses(object),
    ...finalizerCauses(kind, object),
  ];
}

function nameCauses(kind: ServedKind, object: JsonObject): readonly Cause[] {
  const name = nameOf(object);
  const field = 'metadata.name';
  if (name === '') return [requiredValue(field, 'name or generateName is required')];
  return nameProblems(kind, name).map((problem) => invalidValue(field, name, problem));
}

function labelCauses(object: JsonObject): readonly Cause[] {
  const field = 'metadata.labels';
  return stringMapAt(object, 'metadata', 'labels').flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalidValue(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalidValue(field, value, problem)),
  ]);
}

const MAX_ANNOTATION_BYTES = 256 * 1024;

function annotationCauses(object: JsonObject): readonly Cause[] {
  const field = 'metadata.annotations';
  const annotations = stringMapAt(object, 'metadata', 'annotations');
  const causes = annotations.flatMap(([key]) =>
    qualifiedNameProblems(key.toLowerCase()).map((problem) => invalidValue(field, key, problem)),
  );
  const bytes = annotations.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (bytes <= MAX_ANNOTATION_BYTES) return causes;
  const message = `Too long: may not be more than ${MAX_ANNOTATION_BYTES} bytes`;
  return [...causes, { field, reason: 'FieldValueTooLong', message }];
}

function ownerCauses(object: JsonObject): readonly Cause[] {
  const field = 'metadata.ownerReferences';
  const owners = objectsAt(object, 'metadata', 'ownerReferences');
  const causes = owners.flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((name) => textAt(owner, name) === '')
      .map((name) => {
        const rule = name === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
        return invalidValue(`${field}.${name}`, '', rule);
      }),
  );
  const controllers = owners.filter((owner) => at(owner, 'controller') === true);
  if (controllers.length <= 1) return causes;
  const found = controllers.map((owner) => `${textAt(owner, 'kind')}/${textAt(owner, 'name')}`).join(' and ');
  const rule = `Only one reference can have Controller set to true. Found "true" in references for ${found}`;
  return [...causes, invalidValue(field, arrayAt(object, 'metadata', 'ownerReferences'), rule)];
}

const STANDARD_FINALIZERS = ['foregroundDeletion', 'orphan', 'kubernetes'];

function finalizerCauses(kind: ServedKind, object: JsonObject): readonly Cause[] {
  const field = 'metadata.finalizers';
  const finalizers = finalizersOf(object);
  const rule = 'name is neither a standard finalizer name nor is it fully qualified';
  return [
    ...finalizers.flatMap((finalizer) =>
      qualifiedNameProblems(finalizer).map((problem) => invalidValue(field, finalizer, problem)),
    ),
    ...finalizers.flatMap((finalizer, index) =>
      kind.custom !== undefined || finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
        ? []
        : [invalidValue(`${field}[${index}]`, finalizer, rule)],
    ),
  ];
}

function changeCauses(object: JsonObject, before: JsonObject): readonly Cause[] {
  const causes: Cause[] = [];
  if (isTerminating(before)) {
    const known = new Set(finalizersOf(before));
    const added = finalizersOf(object).filter((finalizer) => !known.has(finalizer));
    if (added.length > 0) {
      const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      const rule = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      causes.push(forbiddenValue('metadata.finalizers', rule));
    }
  }
  const deletion = textAt(object, 'metadata', 'deletionTimestamp');
  if (deletion !== textAt(before, 'metadata', 'deletionTimestamp')) {
    causes.push(invalidValue('metadata.deletionTimestamp', deletion, 'field is immutable'));
  }
  if (uidOf(object) !== uidOf(before)) causes.push(invalidValue('metadata.uid', uidOf(object), 'field is immutable'));
  return causes;
}
