import { UsageError } from '../errors.ts';
import { compileFilter } from '../filter/filter.ts';
import type { KubernetesBinding } from '../hook/binding.ts';
import { isObject } from '../hook/config-reader.ts';
import type { SnapshotItem } from '../hook/trigger.ts';
import type { ResourceKind } from '../kube/kind.ts';
import { findKind } from '../kube/discovery/kind-search.ts';
import { shown, shownName } from '../lib/shown.ts';
import { builtInKinds } from './built-in-kinds.ts';

/** An object of `--object`, as the API server would have it. */
export interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty where it has none. */
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
  /** Absent for a custom resource. */
  readonly builtIn: ResourceKind | undefined;
}

/** Reads what `--object` held; throws `UsageError` for all that is no object of Kubernetes. */
export function givenObjects(values: readonly unknown[]): readonly GivenObject[] {
  const problems: string[] = [];
  const objects = values.flatMap((value, index) => {
    const object = givenObject(value);
    if (object === undefined) problems.push(`object ${index + 1} is ${shown(value)}`);
    return object ?? [];
  });
  if (problems.length === 0) return objects;
  throw new UsageError(`--object: ${problems.join('; ')}; expected apiVersion, kind and metadata.name`);
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

/** A manifest often leaves it out, and the API server does not. */
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

/** The object as the operator would hand it to the binding: with what its filter makes of it. */
export function snapshotItem({ filter }: KubernetesBinding, object: GivenObject): SnapshotItem {
  const { namespace, name, value } = object;
  const item = { namespace, name, object: Buffer.from(JSON.stringify(value)) };
  if (filter === undefined) return item;
  const { result: filterResult, error: filterError } = compileFilter(filter).apply(value);
  return { ...item, filterResult, ...(filterError !== undefined && { filterError }) };
}
