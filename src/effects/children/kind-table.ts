import { KindNotFoundError } from '../../errors.ts';
import type { OwnedKind } from '../../hook/binding.ts';
import type { KindReference, Kinds, ResourceKind } from '../../kube/kind.ts';

/** The kinds of an answer and of the binding, as the server has them. */
export interface KindTable {
  /** The kind of a child with the rule of the binding for it, or why it cannot be a child. */
  find(child: { readonly apiVersion: string; readonly kind: string }): OwnedResource | NoKind;
}

export interface OwnedResource {
  readonly resource: ResourceKind;
  readonly owned: OwnedKind;
}

export interface NoKind {
  readonly type: 'invalid' | 'kind';
  readonly message: string;
}

export interface KindSource {
  readonly kinds: Pick<Kinds, 'resolve'>;
  readonly signal: AbortSignal;
}

/** Looks up all kinds that an answer and the binding name; rejects when the server cannot be asked. */
export async function readKinds(
  owns: readonly OwnedKind[],
  children: readonly { readonly apiVersion: string; readonly kind: string }[],
  source: KindSource,
): Promise<KindTable> {
  // A kind that is absent is looked for anew each time, which takes a second: only where it matters.
  const kinds = new Set(children.map(({ kind }) => kind));
  const asked = owns.filter(({ isOptional, kind }) => isOptional !== true || kinds.has(kind));
  const owned = await Promise.all(asked.map(async (rule) => ({ rule, found: await lookup(rule, source) })));
  const byReference = new Map<string, ResourceKind | NotFound>();
  for (const child of children) {
    const reference = referenceOf(child);
    if (!byReference.has(reference)) byReference.set(reference, await lookup(child, source));
  }
  return {
    find: (child) => {
      const resource = byReference.get(referenceOf(child));
      if (resource === undefined || 'error' in resource) return missing(child, { owns, owned, found: resource });
      const rule = owned.find(({ found }) => 'kind' in found && isSameKind(found, resource))?.rule;
      if (rule === undefined || resource.kind !== child.kind) return notOwned(child, owns);
      return { resource, owned: rule };
    },
  };
}

interface NotFound {
  readonly error: KindNotFoundError;
}

interface Looked {
  readonly rule: OwnedKind;
  readonly found: ResourceKind | NotFound;
}

async function lookup(reference: KindReference, { kinds, signal }: KindSource): Promise<ResourceKind | NotFound> {
  try {
    const { apiVersion, kind } = reference;
    return await kinds.resolve({ kind, ...(apiVersion !== undefined && { apiVersion }) }, signal);
  } catch (error) {
    if (error instanceof KindNotFoundError) return { error };
    throw error;
  }
}

interface Search {
  readonly owns: readonly OwnedKind[];
  readonly owned: readonly Looked[];
  readonly found: NotFound | undefined;
}

function missing(
  child: { readonly apiVersion: string; readonly kind: string },
  { owns, owned, found }: Search,
): NoKind {
  const mayBe = owned.some(({ rule, found: own }) => 'error' in own && rule.kind === child.kind);
  if (!mayBe || found === undefined) {
    return notOwned(child, owns);
  }
  return { type: 'kind', message: found.error.message };
}

function notOwned(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  owns: readonly OwnedKind[],
): NoKind {
  const known = owns.map((rule) => referenceOf({ apiVersion: rule.apiVersion ?? '', kind: rule.kind })).join(', ');
  const has = known === '' ? 'is empty' : `has ${known}`;
  return {
    type: 'invalid',
    message: `the kind ${referenceOf({ apiVersion, kind })} is not in owns, which ${has}: add it there`,
  };
}

function isSameKind(one: ResourceKind, other: ResourceKind): boolean {
  return one.group === other.group && one.kind === other.kind;
}

function referenceOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return apiVersion === '' ? kind : `${apiVersion}/${kind}`;
}
