import type { Ids } from './ids.ts';
import type { ListFeatures } from './list-options.ts';
import type { Kinds } from './kinds.ts';
import type { RequestScope } from './request-scope.ts';
import type { Storage } from './storage.ts';
import type { Registrations } from './webhooks/registrations.ts';
import type { WebhookClient } from './webhooks/webhook-client.ts';

/** The state that all requests share. */
export interface Cluster {
  readonly storage: Storage;
  readonly kinds: Kinds;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly ids: Ids;
  readonly authorize: Authorize;
  /** Absent: none is on. */
  readonly features?: ListFeatures;
  /** The name of the user that the bearer token stands for. */
  readonly user: string;
  /** The groups of that user; absent: those of an administrator. */
  readonly groups?: readonly string[];
  /** The admission webhooks. */
  readonly webhooks: Registrations;
  readonly webhookClient: WebhookClient;
  /** The uids of objects that were stored as another API server has them. */
  readonly mirrored: Set<string>;
  /** Present while a request is answered that may need other servers. */
  readonly scope?: RequestScope;
}

/** Authorizes one request: true allows it; false or a reason refuses it with 403. */
export type Authorize = (attributes: AccessAttributes) => boolean | string;

/**
 * The attributes of a request in the terms of RBAC; for a request that is not for a resource, only `user`, `verb` and
 * `path` are set.
 */
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
