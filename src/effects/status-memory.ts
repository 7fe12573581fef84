import type { ResourceKind } from '../kube/kind.ts';
import { versionOf } from './api-object.ts';
import type { AddedField } from './status-plan.ts';
import type { JsonObject } from '../lib/json-object.ts';

const MAX_OBJECTS = 10_000;
/** Enough for the runs that follow each other at once; an object that is not kept is read. */
const MAX_ANSWERS = 16;
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
  readonly #answers = new Map<string, JsonObject>();
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

  /** Records the object at `path` as it is after a write of its status. */
  noteWritten(path: string, object: JsonObject): void {
    keepNewest(this.#versions, { key: path, value: versionOf(object), most: MAX_OBJECTS });
    keepNewest(this.#answers, { key: path, value: object, most: MAX_ANSWERS });
  }

  /**
   * The newest known state of the object at `path`, of which a watch shows `live`; undefined when `live` may be older
   * than the last write of its status, and what that left is not known any more.
   */
  newest(path: string, live: JsonObject): JsonObject | undefined {
    const version = versionOf(live);
    if (version === '') return undefined;
    if (this.#isOlder(path, version)) return this.#answers.get(path);
    this.#answers.delete(path);
    return live;
  }

  /** Whether an object of this resourceVersion may be older than the last write of its status. */
  #isOlder(path: string, resourceVersion: string): boolean {
    const written = this.#versions.get(path);
    if (written === undefined || written === resourceVersion) return false;
    const isNumbers = /^\d+$/.test(written) && /^\d+$/.test(resourceVersion);
    return !isNumbers || BigInt(resourceVersion) < BigInt(written);
  }
}

function keepNewest<T>(map: Map<string, T>, { key, value, most }: Kept<T>): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}

interface Kept<T> {
  readonly key: string;
  readonly value: T;
  readonly most: number;
}

function keyOf({ group, version, plural }: ResourceKind): string {
  return `${group}/${version}/${plural}`;
}
