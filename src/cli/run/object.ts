import { UsageError } from '../../errors.ts';
import { compileFilter } from '../../filter/filter.ts';
import type { KubernetesBinding } from '../../hook/binding.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { findKind } from '../../kube/discovery/kind-search.ts';
import { shown, shownName } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import { builtInKinds } from '../built-in-kinds.ts';

/** An object given with `--object`, with the defaults that the API server would set. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty when it has none. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
  /** The built-in kind; absent for a custom resource. */
  readonly builtIn: ResourceKind | undefined;
}

/** Checks the values of a flag such as `--object`; throws one `UsageError` for all that are not Kubernetes objects. */
export function givenObjects(values: readonly unknown[], flag = '--object'): readonly GivenObject[] {
  const problems: string[] = [];
  const objects = values.flatMap((value, index) => {
    const object = givenObject(value);
    if (object === undefined) problems.push(`object ${index + 1} is ${shown(value)}`);
    return object ?? [];
  });
  if (problems.length === 0) return objects;
  throw new UsageError(`${flag}: ${problems.join('; ')}; expected apiVersion, kind and metadata.name`);
}

function givenObject(value: unknown): GivenObject | undefined {
  const metadata = isObject(value) ? value['metadata'] : undefined;
  if (!isObject(value) || !isObject(metadata)) return undefined;
  const [apiVersion, kind, name] = [value['apiVersion'], value['kind'], metadata['name']];
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const builtIn = findKind(builtInKinds(), { kind, apiVersion });
  const namespace = namespaceOf(metadata, builtIn);
  const labels = isObject(metadata['labels']) ? metadata['labels'] : {};
  const whole = namespace === '' ? value : { ...value, metadata: { ...metadata, namespace } };
  return { apiVersion, kind, namespace, name, labels, value: whole, builtIn };
}

/** The namespace of the object; `default`, as with kubectl, when a manifest of a namespaced built-in kind omits it. */
function namespaceOf(metadata: Readonly<Record<string, unknown>>, builtIn: ResourceKind | undefined): string {
  const { namespace } = metadata;
  if (typeof namespace === 'string') return namespace;
  return builtIn?.isNamespaced === true ? 'default' : '';
}

/** `v1 Pod default/web`. */
export function objectName({ apiVersion, kind, namespace, name }: GivenObject): string {
  const where = namespace === '' ? name : `${namespace}/${name}`;
  return [apiVersion, kind, where].map((part) => shownName(part)).join(' ');
}

/** The object as the binding would see it, with the result of its filter. */
export function snapshotItem({ filter }: KubernetesBinding, object: GivenObject): SnapshotItem {
  const { namespace, name, value } = object;
  const item = { namespace, name, object: Buffer.from(JSON.stringify(value)) };
  if (filter === undefined) return item;
  const { result: filterResult, error: filterError } = compileFilter(filter).apply(value);
  return { ...item, filterResult, ...(filterError !== undefined && { filterError }) };
}
