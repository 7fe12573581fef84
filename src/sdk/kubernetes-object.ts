/** What any type of a Kubernetes object must look like, those of client-node included. */
export interface ObjectLike {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** An object as the API server returns it, where nothing more is known of its kind. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The metadata of an object as the API server returns it. */
export interface ObjectMeta {
  readonly name: string;
  /** Absent for objects of the cluster. */
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

/** What any type of an object that is to be created or applied must look like, those of client-node included. */
export interface ObjectToWrite {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string; readonly namespace?: string };
}

/** An object that is to be created or applied, where nothing more is known of its kind. */
export interface NewObject extends ObjectToWrite {
  readonly metadata: NewObjectMeta;
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly [field: string]: unknown;
}

/** The metadata of an object that is to be created or applied. */
export interface NewObjectMeta {
  readonly name?: string;
  /** The server makes a name that begins with this. */
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}
