import type { Kinds } from './kinds.ts';
import type { Storage } from './storage.ts';

/** The state that all requests share. */
export interface Cluster {
  readonly storage: Storage;
  readonly kinds: Kinds;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly authorize: Authorize;
  /** The name of the user whom the bearer token stands for. */
  readonly user: string;
}

/** Decides about one request: true lets it pass, false or a reason refuses it with 403. */
export type Authorize = (attributes: AccessAttributes) => boolean | string;

/** What a request wants to do, in the words of RBAC; `path` alone is set for what is not a resource. */
export interface AccessAttributes {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}
