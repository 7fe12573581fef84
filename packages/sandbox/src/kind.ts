import type { JsonObject } from './json.ts';

/** A kind as one group and version serve it. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Where its objects are kept; the versions of a kind share one collection. */
  readonly collection: string;
  /** The apiVersion in which its objects are kept. */
  readonly storedApiVersion: string;
  /** Present for a kind that a CustomResourceDefinition made. */
  readonly custom?: CustomVersion;
  /** Present where the versions of a built-in kind differ in more than their name. */
  readonly conversion?: Conversion;
}

/** A path below an object, such as `status`. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly kind: string;
  /** The group and version of what it takes and gives, where they are not the parent's. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
}

/** What a CustomResourceDefinition says about one of its versions. */
export interface CustomVersion {
  readonly schema: JsonObject;
  readonly scale?: { readonly specPath: string; readonly statusPath: string; readonly selectorPath: string };
  readonly selectableFields: readonly string[];
  /** Its `additionalPrinterColumns`. */
  readonly printerColumns: readonly JsonObject[];
}

/** How objects move between the stored and the served version; apiVersion and kind are not its business. */
export interface Conversion {
  toStored(object: JsonObject): JsonObject;
  fromStored(object: JsonObject): JsonObject;
}

/** `v1` or `apps/v1`. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** `pods` or `deployments.apps`, as error messages name a resource. */
export function groupResource(kind: ServedKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** `Pod` or `Deployment.apps`, as error messages name a kind. */
export function groupKind(kind: { readonly group: string; readonly kind: string }): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** Whether the kind has the subresource. */
export function hasSubresource(kind: ServedKind, name: string): boolean {
  return kind.subresources.some((subresource) => subresource.name === name);
}
