/** Rights that something in the cluster needs: what an RBAC rule is made of, and why. */
export interface Need {
  /** The API group; empty for the core group. */
  readonly group: string;
  /** The resource, with a subresource after a slash, such as `pods/log`. */
  readonly resource: string;
  readonly verb: string;
  /** Empty: in all namespaces, or for a resource without one. */
  readonly namespace: string;
  /** Absent: any name. */
  readonly name?: string;
  /** Whose need it is: a hook by its name, or hooklet itself. */
  readonly of: NeedOwner;
  /** Why, in words for a comment: the binding or operation, and where it was seen. */
  readonly reason: string;
  /** Nobody knows whether the resource is called so: no list of kinds has it. */
  readonly isUnverified?: true;
  /** Work goes on without it, as the reason says. */
  readonly isOptional?: true;
}

/** Whose need it is. */
export type NeedOwner = { readonly type: 'hook'; readonly hook: string } | { readonly type: 'hooklet' };

/** A need without what is the same for all needs of one place. */
export type NeedBase = Omit<Need, 'verb'>;

/** One need for each verb. */
export function needsOf(base: NeedBase, verbs: readonly string[]): readonly Need[] {
  return verbs.map((verb) => ({ ...base, verb }));
}

/** Whether RBAC can limit a verb to names: it does not know the name of what is created. */
export function canBeNamed(verb: string): boolean {
  return verb !== 'create' && verb !== 'deletecollection';
}
