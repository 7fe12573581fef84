import type { JsonObject } from './json.ts';

/** A kind as one version of its group serves it. */
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
  /** The storage collection of its objects; all versions of a kind share one. */
  readonly collection: string;
  /** The apiVersion in which its objects are stored. */
  readonly storedApiVersion: string;
  /** Present for a kind that a CustomResourceDefinition defines. */
  readonly custom?: CustomVersion;
  /** Present if the versions of a built-in kind differ in more than their apiVersion. */
  readonly conversion?: Conversion;
}

/** A path below an object, such as `status`. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly kind: string;
  /** The group and version of the subresource's objects, if they are not the parent's. */
  readonly groupVersion?: { readonly group: string; readonly version: string };
}

/** The part of a CustomResourceDefinition that describes one version. */
export interface CustomVersion {
  readonly schema: JsonObject;
  readonly scale?: { readonly specPath: string; readonly statusPath: string; readonly selectorPath: string };
  readonly selectableFields: readonly string[];
  /** Its `additionalPrinterColumns`. */
  readonly printerColumns: readonly JsonObject[];
  /** `spec.conversion.webhook`, if the versions are converted by a webhook. */
  readonly converter?: JsonObject;
  /** The version in which objects are stored, where that is another one. */
  readonly stored?: CustomVersion;
}

/** Converts objects between the stored and the served version; the caller sets apiVersion and kind. */
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
