import type { HookLock, RetryRule } from './binding.ts';

/** One entry of `http`, defaults filled in: a request to `/trigger/<hook>/<name>` runs the hook. */
export interface HttpBinding {
  readonly type: 'http';
  readonly name: string;
  readonly authentication: HttpAuthentication;
  readonly maxBodyBytes: number;
  readonly rateLimit: HttpRateLimit;
  readonly allowFailure: boolean;
  readonly queue: string;
  readonly group?: string;
  /** Effective list: the entry's own, then the members of its group. */
  readonly includeSnapshotsFrom: readonly string[];
  readonly retry?: RetryRule;
  /** That of the hook. */
  readonly lock?: HookLock;
}

/** How a caller shows who it is. */
export type HttpAuthentication =
  /** A bearer token, which the API server checks by TokenReview and SubjectAccessReview. */
  | { readonly type: 'token' }
  /** A signature of the body, as GitHub or Slack makes it, with the secret in a file. */
  | { readonly type: 'github' | 'slack'; readonly secretFile: string };

/** How many requests are taken. */
export interface HttpRateLimit {
  readonly perMinute: number;
  /** How many may come at once. */
  readonly burst: number;
}
