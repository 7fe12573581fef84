import { apiPath } from './api-path.ts';

/** A kind as discovery describes it. */
export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  /** Names such as `status`, `scale`. */
  readonly subresources: readonly string[];
}

/** How a hook names a kind: by kind, plural, singular or short name in any case, with or without group and version. */
export interface KindReference {
  readonly kind: string;
  readonly apiVersion?: string;
}

/** Cached discovery: finds kinds by any of their names. */
export interface Kinds {
  /**
   * Returns the kind, in the server's preferred version when there is no `apiVersion`. Repeats the discovery once when
   * the cache lacks the kind; rejects with `KindNotFoundError` (which names similar kinds) when the server lacks it
   * too.
   */
  resolve(reference: KindReference, signal: AbortSignal): Promise<ResourceKind>;
  /** Drops the cache; called when a request for a cached kind answers 404. */
  invalidate(): void;
}

/** Locates an object: without `name` the collection; without `namespace` all namespaces, or a cluster-scoped kind. */
export interface ResourceLocation {
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** Whether the kind is one of Kubernetes itself, by its group. */
export function isBuiltIn({ group }: Pick<ResourceKind, 'group'>): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

/**
 * Returns the API path of a collection or an object of `kind`; throws `RangeError` when a part of it is not allowed in
 * a path.
 */
export function resourcePath(kind: ResourceKind, location: ResourceLocation): string {
  const { namespace, name, subresource } = location;
  const segments = kind.group === '' ? ['api', kind.version] : ['apis', kind.group, kind.version];
  if (kind.isNamespaced && namespace !== undefined && namespace !== '') segments.push('namespaces', namespace);
  segments.push(kind.plural);
  if (name !== undefined) segments.push(name);
  if (subresource !== undefined && subresource !== '') segments.push(subresource.replace(/^\//, ''));
  return apiPath(...segments);
}
