/** The minimum of any type of a Kubernetes object; the types of `@kubernetes/client-node` fit. */
export interface ObjectLike {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** An object of any kind, as the API server returns it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The metadata of an object as the API server returns it. */
export interface ObjectMeta {
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The minimum of any type of an object to be created or applied; the types of `@kubernetes/client-node` fit. */
export interface ObjectToWrite {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string; readonly namespace?: string };
}

/** An object of any kind, to be created or applied. */
export interface NewObject extends ObjectToWrite {
  readonly metadata: NewObjectMeta;
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly [field: string]: unknown;
}

/** The metadata of an object to be created or applied. */
export interface NewObjectMeta {
  readonly name?: string;
  /** The API server generates a name that begins with this. */
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}
