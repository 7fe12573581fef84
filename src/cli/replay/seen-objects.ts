import { isObject } from '../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An object that a run saw. */
export interface SeenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: Fields;
}

/**
 * The objects that binding contexts show as being there, each once, in its latest version. One that was deleted, or that
 * a request is to create, is not there.
 */
export function seenObjects(contexts: readonly Fields[]): readonly SeenObject[] {
  const found = new Map<string, SeenObject>();
  for (const object of contexts.flatMap(objectsOf)) {
    const seen = seenObject(object);
    if (seen === undefined) continue;
    const key = JSON.stringify([seen.apiVersion, seen.kind, seen.namespace, seen.name]);
    const known = found.get(key);
    if (known === undefined || versionOf(known.object) <= versionOf(seen.object)) found.set(key, seen);
  }
  return [...found.values()];
}

/** The object, if it has a kind and a name. */
export function seenObject(object: unknown): SeenObject | undefined {
  if (!isObject(object)) return undefined;
  const { apiVersion, kind } = object;
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const { name, namespace = '' } = metadata;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined;
  return typeof namespace === 'string' && name !== '' ? { apiVersion, kind, namespace, name, object } : undefined;
}

function objectsOf(context: Fields): readonly unknown[] {
  const isThere = context['watchEvent'] !== 'Deleted';
  const review = isObject(context['review']) ? context['review']['request'] : undefined;
  return [
    ...(isThere ? [context['object']] : []),
    ...itemsOf(context['objects']),
    ...['snapshots', 'owned', 'watched'].flatMap((member) => listsOf(context[member])),
    ...(isObject(review) ? [review['oldObject']] : []),
  ];
}

function listsOf(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value).flatMap(itemsOf) : [];
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? item['object'] : undefined)) : [];
}

function versionOf(object: Fields): number {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return Number(metadata['resourceVersion'] ?? 0);
}
