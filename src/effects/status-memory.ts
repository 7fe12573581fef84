import type { ResourceKind } from '../kube/kind.ts';
import type { AddedField } from './status-plan.ts';

const MAX_OBJECTS = 10_000;
/** A schema may get the field later. */
const FORGET_MS = 600_000;
/** How often a kind without `status` is looked up again. */
const LOOK_UP_MS = 30_000;

/**
 * What earlier writes of statuses learned about the cluster. One instance lives as long as the operator; what is out of
 * date costs a request and never changes the result.
 */
export class StatusMemory {
  readonly #now: () => number;
  readonly #versions = new Map<string, string>();
  readonly #lacks = new Map<string, Map<AddedField, number>>();
  readonly #lookedUpAtMs = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The fields that the schema of the kind is known to lack. */
  lacksOf(kind: ResourceKind): ReadonlySet<AddedField> {
    const since = [...(this.#lacks.get(keyOf(kind)) ?? [])];
    return new Set(since.flatMap(([field, atMs]) => (this.#now() - atMs < FORGET_MS ? [field] : [])));
  }

  noteLack(kind: ResourceKind, field: AddedField): void {
    const fields = this.#lacks.get(keyOf(kind)) ?? new Map<AddedField, number>();
    this.#lacks.set(keyOf(kind), fields.set(field, this.#now()));
  }

  /** Whether discovery should be asked again about a kind that has no status subresource; true once in a while. */
  looksUp(kind: ResourceKind): boolean {
    const atMs = this.#lookedUpAtMs.get(keyOf(kind));
    if (atMs !== undefined && this.#now() - atMs < LOOK_UP_MS) return false;
    this.#lookedUpAtMs.set(keyOf(kind), this.#now());
    return true;
  }

  /** Records the resourceVersion of the object at `path` after a write of its status. */
  noteWritten(path: string, resourceVersion: string): void {
    this.#versions.delete(path);
    this.#versions.set(path, resourceVersion);
    const [oldest] = this.#versions.size > MAX_OBJECTS ? this.#versions.keys() : [];
    if (oldest !== undefined) this.#versions.delete(oldest);
  }

  /** Whether an object of this resourceVersion may be older than the last write of its status. */
  isOlder(path: string, resourceVersion: string): boolean {
    const written = this.#versions.get(path);
    if (written === undefined || written === resourceVersion) return false;
    const isNumbers = /^\d+$/.test(written) && /^\d+$/.test(resourceVersion);
    return !isNumbers || BigInt(resourceVersion) < BigInt(written);
  }
}

function keyOf({ group, version, plural }: ResourceKind): string {
  return `${group}/${version}/${plural}`;
}
