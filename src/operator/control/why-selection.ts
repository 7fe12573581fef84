import { KubeError, summaryOf } from '../../errors.ts';
import type { ObjectSelection } from '../../hook/binding.ts';
import type { WhyCheck } from '../../hook/operator-view.ts';
import type { LabelSelector } from '../../hook/selector.ts';
import { matchesField, matchesLabels } from '../../hook/selector-match.ts';
import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import { resourcePath, type Kinds, type ResourceKind } from '../../kube/kind.ts';
import { asJsonObject } from '../../kube/object.ts';
import type { MeantObject } from './why.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** What of an object says which replica has it. */
export interface PlacedObject {
  readonly namespace: string;
  readonly uid?: string;
}

export interface SelectionOptions {
  readonly meant: MeantObject;
  readonly kinds: Pick<Kinds, 'resolve'>;
  readonly client: Pick<KubeClient, 'request'>;
  readonly signal: AbortSignal;
  /** Checks which replica has an object; undefined where it takes the uid, and that is not given. Default: none. */
  readonly replica?: (kind: ResourceKind, object: PlacedObject) => WhyCheck | undefined;
}

/** Checks the fields of a binding that select objects, in their order, up to the first that excludes the object. */
export async function selectionChecks(
  selection: ObjectSelection,
  options: SelectionOptions,
): Promise<readonly WhyCheck[]> {
  const checks: WhyCheck[] = [];
  for await (const check of checksOf(selection, options)) {
    checks.push(check);
    if (check.result !== 'yes') break;
  }
  return checks;
}

async function* checksOf(selection: ObjectSelection, options: SelectionOptions): AsyncGenerator<WhyCheck, void, void> {
  const kind = await kindOf(selection, options);
  if ('field' in kind) return yield kind;
  const { meant } = options;
  yield { field: 'kind', result: 'yes', message: `${kind.apiVersion} ${kind.kind}` };
  yield namesCheck(selection, meant);
  yield* namespaceChecks(selection, kind, options);
  const { namespace } = meant;
  const placed = options.replica?.(kind, { namespace });
  if (placed !== undefined) yield placed;
  const found = await objectOf(kind, options);
  if ('field' in found) return yield found;
  yield* selectorChecks(selection, found.object);
  const uid = asJsonObject(found.object['metadata'])['uid'];
  if (placed !== undefined || typeof uid !== 'string') return;
  const placedByUid = options.replica?.(kind, { namespace, uid });
  if (placedByUid !== undefined) yield placedByUid;
}

/** The kind of the binding, or why the object has another one. */
async function kindOf(
  { kind, apiVersion }: ObjectSelection,
  { meant, kinds, signal }: SelectionOptions,
): Promise<ResourceKind | WhyCheck> {
  try {
    const watched = await kinds.resolve({ kind, ...(apiVersion !== undefined && { apiVersion }) }, signal);
    if (meant.kind === undefined) return watched;
    const asked = await kinds.resolve({ kind: meant.kind }, signal);
    if (asked.group === watched.group && asked.plural === watched.plural) return watched;
    return { field: 'kind', result: 'no', message: `it is ${watched.kind}, the object a ${asked.kind}` };
  } catch (error) {
    return { field: 'kind', result: 'unknown', message: summaryOf(error) };
  }
}

function namesCheck({ names = [] }: ObjectSelection, { name }: MeantObject): WhyCheck {
  const field = 'nameSelector';
  if (names.length === 0) return { field, result: 'yes', message: 'all names' };
  if (names.includes(name)) return { field, result: 'yes', message: 'it has the name' };
  return { field, result: 'no', message: `it has ${names.slice(0, 10).join(', ')}, not ${name}` };
}

async function* namespaceChecks(
  { namespace: selector }: ObjectSelection,
  kind: ResourceKind,
  options: SelectionOptions,
): AsyncGenerator<WhyCheck, void, void> {
  const { namespace, name } = options.meant;
  if (!kind.isNamespaced) return;
  const field = 'namespace';
  if (namespace === '') {
    const message = `a ${kind.kind} is in a namespace: give NAMESPACE/${name}`;
    return yield { field, result: 'unknown', message };
  }
  if (selector === undefined) yield { field, result: 'yes', message: 'all namespaces' };
  else if (selector.type === 'names') yield namedNamespace(selector.names, namespace);
  else yield await labeledNamespace(selector.labelSelector, options);
}

function namedNamespace(names: readonly string[], namespace: string): WhyCheck {
  const isNamed = names.length === 0 || names.includes(namespace);
  const message = isNamed ? 'it has the namespace' : `it has ${names.slice(0, 10).join(', ')}, not ${namespace}`;
  return check('namespace.nameSelector', isNamed, message);
}

async function labeledNamespace(selector: LabelSelector, options: SelectionOptions): Promise<WhyCheck> {
  const { namespace } = options.meant;
  const found = await read('Namespace', () => `/api/v1${apiPath('namespaces', namespace)}`, options);
  if ('field' in found) return found;
  const matches = matchesLabels(selector, asJsonObject(asJsonObject(found.object['metadata'])['labels']));
  const message = `the labels of namespace ${namespace} ${matches ? 'match' : 'do not match'}`;
  return check('namespace.labelSelector', matches, message);
}

function* selectorChecks(
  { labelSelector, fieldSelector = [] }: ObjectSelection,
  object: JsonObject,
): Generator<WhyCheck, void, void> {
  if (labelSelector !== undefined) {
    const labels = asJsonObject(asJsonObject(object['metadata'])['labels']);
    const matches = matchesLabels(labelSelector, labels);
    yield check('labelSelector', matches, `the labels of the object ${matches ? 'match' : 'do not match'}`);
  }
  const excluding = fieldSelector.find((requirement) => !matchesField(requirement, object));
  if (excluding !== undefined) {
    const { field, operator, value } = excluding;
    yield check('fieldSelector', false, `the object does not have ${field}${operator}${value}`);
  } else if (fieldSelector.length > 0) {
    yield check('fieldSelector', true, 'the fields of the object match');
  }
}

function check(field: string, isMatch: boolean, message: string): WhyCheck {
  return { field, result: isMatch ? 'yes' : 'no', message };
}

async function objectOf(
  kind: ResourceKind,
  options: SelectionOptions,
): Promise<{ readonly object: JsonObject } | WhyCheck> {
  const { namespace, name } = options.meant;
  return read(kind.kind, resourcePathOf(kind, namespace, name), options);
}

function resourcePathOf(kind: ResourceKind, namespace: string, name: string): () => string {
  return () => resourcePath(kind, { ...(namespace !== '' && { namespace }), name });
}

async function read(
  kind: string,
  path: () => string,
  { client, signal, meant }: SelectionOptions,
): Promise<{ readonly object: JsonObject } | WhyCheck> {
  const field = kind === 'Namespace' ? 'namespace' : 'object';
  try {
    return { object: asJsonObject(await client.request({ method: 'GET', path: path() }, signal)) };
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) {
      const name = kind === 'Namespace' ? meant.namespace : meant.name;
      return { field, result: 'no', message: `there is no ${kind} ${name} now` };
    }
    if (error instanceof KubeError || error instanceof RangeError) {
      return { field, result: 'unknown', message: summaryOf(error) };
    }
    throw error;
  }
}
