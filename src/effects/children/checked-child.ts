import type { OwnedKind } from '../../hook/binding.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { shownName } from '../../lib/shown.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { metadataOf } from '../api-object.ts';
import { received } from '../field-reader.ts';
import type { KindTable } from './kind-table.ts';
import { keyOf, nameOfChild, type Named } from './live-child.ts';
import { BINDING_LABEL, canReference, PARENT_LABEL, type Marks, type Parent } from './marks.ts';
import type { ChildProblem } from './problem.ts';
import { secretProblems, withoutStringData } from './secret-data.ts';

/** A child that may be written, without the marks. */
export interface CheckedChild {
  readonly named: Named;
  readonly object: JsonObject;
  readonly resource: ResourceKind;
  readonly owned: OwnedKind;
}

/** What a child is checked against. */
export interface Bounds {
  readonly parent: Parent;
  readonly marks: Marks;
  readonly kinds: KindTable;
  /** Where the child is in the answer: `children[3]`. */
  readonly place: string;
}

// A hook may give back an object as it was shown, changed.
const SERVER_SET = new Set([
  'uid',
  'resourceVersion',
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'generateName',
  'selfLink',
]);

/** Checks one object of an answer: who it is, whether the binding may have it, and what hooklet sets itself. */
export function checkedChild(
  object: JsonObject,
  bounds: Bounds,
): CheckedChild | { readonly problems: readonly ChildProblem[] } {
  const given = identityOf(object);
  const shape = [...identityProblems(object, given), ...metadataProblems(object, bounds), ...secretProblems(object)];
  if (shape.length > 0) return problemsAt(bounds, given, shape);
  const found = bounds.kinds.find(given);
  if ('message' in found) {
    const child = nameOfChild(given, bounds.parent);
    return { problems: [{ type: found.type, child, message: `${bounds.place}: ${found.message}` }] };
  }
  const { resource, owned } = found;
  const namespace = resource.isNamespaced ? given.namespace || bounds.parent.namespace : '';
  const named = { ...given, namespace };
  const place = placeProblems({ given, named }, found, bounds);
  if (place.length > 0) return problemsAt(bounds, named, place);
  return { named, resource, owned, object: cleaned(object, named) };
}

function identityOf(object: JsonObject): Named {
  const { name, namespace } = metadataOf(object);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    apiVersion: text(object['apiVersion']),
    kind: text(object['kind']),
    namespace: text(namespace),
    name: text(name),
  };
}

function identityProblems(object: JsonObject, { apiVersion, kind, name, namespace }: Named): readonly string[] {
  const metadata = metadataOf(object);
  const problems: string[] = [];
  const need = (text: string, field: string, value: unknown): void => {
    const problem = text === '' ? wrong(value, 'a text that is not empty') : segmentProblem(text);
    if (problem !== undefined) problems.push(`${field} ${problem}`);
  };
  if (apiVersion === '') problems.push(`apiVersion ${wrong(object['apiVersion'], 'a text such as apps/v1')}`);
  if (kind === '') problems.push(`kind ${wrong(object['kind'], 'a text such as Deployment')}`);
  if (name === '' && metadata['generateName'] !== undefined) {
    problems.push('metadata.generateName cannot be used: give metadata.name, so that the child is found again');
  } else need(name, 'metadata.name', metadata['name']);
  const isAbsent =
    metadata['namespace'] === undefined || metadata['namespace'] === null || metadata['namespace'] === '';
  if (!isAbsent) need(namespace, 'metadata.namespace', metadata['namespace']);
  return problems;
}

function segmentProblem(text: string): string | undefined {
  const problem = pathSegmentProblem(text);
  return problem === undefined ? undefined : `received ${received(text)}, which ${problem}`;
}

function wrong(value: unknown, expected: string): string {
  return value === undefined ? `is missing, expected ${expected}` : `received ${received(value)}, expected ${expected}`;
}

function metadataProblems(object: JsonObject, { parent, marks }: Bounds): readonly string[] {
  const { labels, annotations, ownerReferences } = metadataOf(object);
  const problems = [
    ...textMapProblems(labels, 'metadata.labels'),
    ...textMapProblems(annotations, 'metadata.annotations'),
  ];
  const own = { [BINDING_LABEL]: marks.binding, [PARENT_LABEL]: parent.uid };
  for (const [label, value] of Object.entries(own)) {
    const given = isObject(labels) ? labels[label] : undefined;
    if (given !== undefined && given !== value) problems.push(`metadata.labels: hooklet sets ${label}, leave it out`);
  }
  if (!isOwnReference(ownerReferences, parent)) {
    problems.push('metadata.ownerReferences: hooklet makes the parent the owner of its children, leave it out');
  }
  return problems;
}

function textMapProblems(value: unknown, field: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return [`${field} received ${received(value)}, expected an object of texts`];
  const bad = Object.entries(value).find(([, text]) => typeof text !== 'string');
  return bad === undefined ? [] : [`${field}.${shownName(bad[0])} received ${received(bad[1])}, expected a text`];
}

/** Nothing, or what hooklet itself wrote on the child. */
function isOwnReference(value: unknown, { uid }: Parent): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.every((owner: unknown) => isObject(owner) && owner['uid'] === uid);
}

function placeProblems(
  { given, named }: { readonly given: Named; readonly named: Named },
  { resource, owned }: { readonly resource: ResourceKind; readonly owned: OwnedKind },
  { parent }: Bounds,
): readonly string[] {
  if (!resource.isNamespaced && given.namespace !== '') {
    return [`metadata.namespace received ${received(given.namespace)}, but ${resource.kind} has no namespace`];
  }
  if (resource.isNamespaced && named.namespace === '') {
    return ['metadata.namespace is missing, expected one: its parent is in no namespace'];
  }
  if (keyOf(named) === keyOf(parent)) return ['is the parent itself: give its status as status'];
  if (canReference(parent, named.namespace) || owned.otherNamespaces) return [];
  const where = named.namespace === '' ? 'has no namespace' : `is in the namespace ${named.namespace}`;
  return [
    `the child ${where}, its parent in ${parent.namespace}: set otherNamespaces: true for ${resource.kind} in owns if that is meant`,
  ];
}

/** Without what the server sets, and what hooklet adds itself. */
function cleaned(object: JsonObject, { namespace }: Named): JsonObject {
  const metadata = Object.entries(metadataOf(object)).filter(
    ([key, value]) => !SERVER_SET.has(key) && key !== 'ownerReferences' && key !== 'namespace' && value !== null,
  );
  const place = namespace === '' ? {} : { namespace };
  return withoutStringData({ ...object, metadata: { ...Object.fromEntries(metadata), ...place } });
}

function problemsAt(
  { parent, place }: Bounds,
  named: Named,
  messages: readonly string[],
): { readonly problems: readonly ChildProblem[] } {
  const child = named.kind === '' || named.name === '' ? place : shownName(nameOfChild(named, parent), 300);
  return { problems: messages.map((message) => ({ type: 'invalid', child, message: `${place}: ${message}` })) };
}
