/**
 * Which objects matter to which parents, in both directions: the children by the uid of their parent, and watched
 * objects by the keys of the parents they are for.
 */
export class Links {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #sources = new Map<string, Set<string>>();

  /** Sets what an object is linked to; returns what it was linked to before. */
  set(source: string, targets: readonly string[]): readonly string[] {
    const before = this.delete(source);
    if (targets.length === 0) return before;
    this.#targets.set(source, targets);
    for (const target of targets) {
      const sources = this.#sources.get(target);
      if (sources === undefined) this.#sources.set(target, new Set([source]));
      else sources.add(source);
    }
    return before;
  }

  /** What an object is linked to. */
  targetsOf(source: string): readonly string[] {
    return this.#targets.get(source) ?? [];
  }

  /** Forgets an object; returns what it was linked to. */
  delete(source: string): readonly string[] {
    const targets = this.#targets.get(source) ?? [];
    this.#targets.delete(source);
    for (const target of targets) {
      const sources = this.#sources.get(target);
      sources?.delete(source);
      if (sources?.size === 0) this.#sources.delete(target);
    }
    return targets;
  }

  /** The objects that are linked to a parent. */
  of(target: string): Iterable<string> {
    return this.#sources.get(target) ?? [];
  }
}
