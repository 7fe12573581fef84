import type { ResourceKind } from '../kube/kind.ts';

const MAX_VERSIONS = 10_000;

/** What earlier operations taught; kept from run to run, it saves requests and tells `unchanged` from `updated`. */
export class PatchMemory {
  readonly #versionRequired = new Set<string>();
  readonly #versions = new Map<string, string>();
  readonly #kindsWithNew = new Set<string>();

  /** Whether objects of the kind can be updated only with their resourceVersion; custom resources always. */
  needsVersion(kind: ResourceKind): boolean {
    const isBuiltIn = !kind.group.includes('.') || kind.group.endsWith('.k8s.io');
    return !isBuiltIn || this.#versionRequired.has(keyOf(kind));
  }

  requireVersion(kind: ResourceKind): void {
    this.#versionRequired.add(keyOf(kind));
  }

  /** Whether the object at `path` is one that was never seen, of a kind whose last such object was new. */
  isLikelyNew(kind: ResourceKind, path: string): boolean {
    return this.#kindsWithNew.has(keyOf(kind)) && !this.#versions.has(path);
  }

  /** Notes whether an object of the kind was new. */
  noteNew(kind: ResourceKind, isNew: boolean): void {
    if (isNew) this.#kindsWithNew.add(keyOf(kind));
    else this.#kindsWithNew.delete(keyOf(kind));
  }

  /** The version the object at `path` had when it was last written or read. */
  versionOf(path: string): string | undefined {
    return this.#versions.get(path);
  }

  /** Remembers the version of the object at `path`; true when it is the one that was remembered. */
  remember(path: string, resourceVersion: string): boolean {
    const isSame = this.#versions.get(path) === resourceVersion;
    this.#versions.delete(path);
    this.#versions.set(path, resourceVersion);
    if (this.#versions.size > MAX_VERSIONS) this.#forgetOldest();
    return isSame;
  }

  /** The object at `path` is not what it was thought to be. */
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
