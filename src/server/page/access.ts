/** Whoever uses the page. */
export interface PageUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** A right on the page, as RBAC has it: a verb on a resource of the group `hooks.hooklet.dev`. */
export interface PageRight {
  readonly verb: 'get' | 'list' | 'retry' | 'drop' | 'pause' | 'resume' | 'trigger' | 'readpayload';
  readonly resource: 'hooks' | 'runs' | 'queues';
  /** The name of a hook or a queue; absent: all of them. */
  readonly name?: string;
}

/** What became of a token. */
export type TokenAnswer =
  | { readonly type: 'known'; readonly user: PageUser }
  | { readonly type: 'unknown' }
  /** Too many unknown tokens came. */
  | { readonly type: 'busy'; readonly retryAfterS: number };

/** Who may do what; rejects with `KubeError` when the API server cannot be asked. */
export interface PageAccess {
  readonly userOf: (token: string, source: string) => Promise<TokenAnswer>;
  readonly may: (user: PageUser, right: PageRight) => Promise<boolean>;
}

/** The name of a right for people: `retry runs.hooks.hooklet.dev`. */
export function rightText({ verb, resource, name }: PageRight): string {
  return `${verb} ${resource}.hooks.hooklet.dev${name === undefined ? '' : ` "${name}"`}`;
}
