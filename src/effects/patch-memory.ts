import { isBuiltIn, type ResourceKind } from '../kube/kind.ts';

const MAX_VERSIONS = 10_000;

/**
 * What earlier patch operations learned about the cluster. One instance lives as long as the operator and is shared by
 * all runs; it is a cache, so an entry that is out of date costs a request and never changes the result.
 *
 * It holds three things: the kinds that refused an update without a resourceVersion; the last known resourceVersion of
 * the 10,000 objects that were used most recently, which saves a read before an update and reveals whether a write
 * changed anything; and the kinds whose last unknown object was new, for which a create is tried before an update.
 */
export class PatchMemory {
  readonly #versionRequired = new Set<string>();
  readonly #versions = new Map<string, string>();
  readonly #kindsWithNew = new Set<string>();

  /** Whether objects of the kind can be updated only with a resourceVersion; always true for custom resources. */
  needsVersion(kind: ResourceKind): boolean {
    return !isBuiltIn(kind) || this.#versionRequired.has(keyOf(kind));
  }

  requireVersion(kind: ResourceKind): void {
    this.#versionRequired.add(keyOf(kind));
  }

  /** Whether the object at `path` is unknown, and the last unknown object of its kind turned out to be new. */
  isLikelyNew(kind: ResourceKind, path: string): boolean {
    return this.#kindsWithNew.has(keyOf(kind)) && !this.#versions.has(path);
  }

  /** Records whether an object of the kind turned out to be new. */
  noteNew(kind: ResourceKind, isNew: boolean): void {
    if (isNew) this.#kindsWithNew.add(keyOf(kind));
    else this.#kindsWithNew.delete(keyOf(kind));
  }

  /** The resourceVersion of the object at `path` when it was last read or written. */
  versionOf(path: string): string | undefined {
    return this.#versions.get(path);
  }

  /** Records the resourceVersion of the object at `path`; returns whether that was recorded already. */
  remember(path: string, resourceVersion: string): boolean {
    const isSame = this.#versions.get(path) === resourceVersion;
    this.#versions.delete(path);
    this.#versions.set(path, resourceVersion);
    if (this.#versions.size > MAX_VERSIONS) this.#forgetOldest();
    return isSame;
  }

  /** Removes the recorded resourceVersion of the object at `path`, because it turned out to be wrong. */
  forget(path: string): void {
    this.#versions.delete(path);
  }

  #forgetOldest(): void {
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined) this.#versions.delete(oldest);
  }
}

function keyOf({ group, plural }: ResourceKind): string {
  return `${group}/${plural}`;
}
