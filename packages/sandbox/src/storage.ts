// All objects of the sandbox, in memory. Every write increments one revision for the whole storage, which becomes the
// resourceVersion of the object, and produces a `Change`. The change is added to the history and passed to all
// listeners, synchronously and in order, before the write returns.
//
// The history serves watches that start at an earlier resourceVersion, and lists of an earlier state. It is limited by
// the number of its changes and by the size of their objects. What is dropped raises `compactedRevision`; a reader that
// asks for an earlier revision gets undefined, which becomes a 410.
//
// An object is never changed in place: a write replaces the `StoredObject`, so readers can keep the one they have.

import { without } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { nameOf, namespaceOf, resourceVersionOf, uidOf, withMetadata } from './object-meta.ts';

const HISTORY_LIMIT = 20_000;
/**
 * The limit for the text of the objects in the history: a few large objects that change often would fill the memory.
 */
const HISTORY_CHARACTERS = 64 * 1024 * 1024;

/** One object at one revision. It never changes, so its text is made only once. */
export class StoredObject {
  readonly collection: string;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly object: JsonObject;
  #tail: string | undefined;

  constructor(collection: string, revision: number, object: JsonObject) {
    this.collection = collection;
    this.revision = revision;
    this.object = withMetadata(object, { resourceVersion: String(revision) });
    this.namespace = namespaceOf(object);
    this.name = nameOf(object);
    this.uid = uidOf(object);
    this.key = storageKey(this.namespace, this.name);
  }

  /** The object's JSON after its kind and apiVersion: `"metadata":…}`. */
  get tail(): string {
    this.#tail ??= JSON.stringify(without(this.object, 'kind', 'apiVersion')).slice(1);
    return this.#tail;
  }
}

/** One write. For a delete, `stored` is the last state of the object, at the revision of the deletion. */
export interface Change {
  readonly type: 'put' | 'delete';
  readonly revision: number;
  readonly before: StoredObject | undefined;
  readonly stored: StoredObject;
}

/** The content of a storage, without its history. */
export interface StorageState {
  readonly revision: number;
  readonly objects: readonly { readonly collection: string; readonly object: JsonObject }[];
}

/** The key of an object inside its collection. */
export function storageKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** All objects, one global revision, and the history that watches resume from. */
export class Storage {
  readonly #collections = new Map<string, Map<string, StoredObject>>();
  readonly #sortedKeys = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(change: Change) => void>();
  #history: Change[] = [];
  #historyCharacters = 0;
  #revision = 1;
  #compactedRevision = 0;

  /** The revision of the latest write. */
  get revision(): number {
    return this.#revision;
  }

  /** The history lacks the changes up to this revision. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  get(collection: string, namespace: string, name: string): StoredObject | undefined {
    return this.#collections.get(collection)?.get(storageKey(namespace, name));
  }

  /** The names of all collections that ever held an object. */
  collections(): readonly string[] {
    return [...this.#collections.keys()];
  }

  /** The objects of a collection in the order of their keys. */
  list(collection: string): readonly StoredObject[] {
    const objects = this.#collections.get(collection);
    if (objects === undefined) return [];
    const keys = this.#sortedKeys.get(collection) ?? [...objects.keys()].toSorted();
    this.#sortedKeys.set(collection, keys);
    return keys.map((key) => objects.get(key)).filter((stored) => stored !== undefined);
  }

  /** The objects of a collection as of `revision`, or undefined if the history does not reach back to it. */
  listAt(collection: string, revision: number): readonly StoredObject[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    const objects = new Map(this.#collections.get(collection));
    for (let index = this.#history.length - 1; index >= 0; index -= 1) {
      const change = this.#history[index];
      if (change === undefined || change.revision <= revision) break;
      if (change.stored.collection !== collection) continue;
      if (change.before === undefined) objects.delete(change.stored.key);
      else objects.set(change.stored.key, change.before);
    }
    return [...objects.values()].toSorted((left, right) => (left.key < right.key ? -1 : 1));
  }

  /** The changes in a collection after `revision`, or undefined if the history does not reach back to it. */
  changesSince(collection: string, revision: number): readonly Change[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    const changes: Change[] = [];
    for (let index = this.#history.length - 1; index >= 0; index -= 1) {
      const change = this.#history[index];
      if (change === undefined || change.revision <= revision) break;
      if (change.stored.collection === collection) changes.push(change);
    }
    return changes.toReversed();
  }

  put(collection: string, object: JsonObject): StoredObject {
    this.#revision += 1;
    const stored = new StoredObject(collection, this.#revision, object);
    const objects = this.#collections.get(collection) ?? new Map<string, StoredObject>();
    this.#collections.set(collection, objects);
    const before = objects.get(stored.key);
    objects.set(stored.key, stored);
    if (before === undefined) this.#sortedKeys.delete(collection);
    this.#publish({ type: 'put', revision: this.#revision, before, stored });
    return stored;
  }

  /** Removes an object; `last` is the state that the DELETED event has. */
  remove(collection: string, before: StoredObject, last: JsonObject = before.object): StoredObject {
    this.#revision += 1;
    const stored = new StoredObject(collection, this.#revision, last);
    this.#collections.get(collection)?.delete(before.key);
    this.#sortedKeys.delete(collection);
    this.#publish({ type: 'delete', revision: this.#revision, before, stored });
    return stored;
  }

  /** The current content. */
  get state(): StorageState {
    const stored = this.collections().flatMap((collection) => this.list(collection));
    return { revision: this.#revision, objects: stored.map(({ collection, object }) => ({ collection, object })) };
  }

  /** Fills an empty storage with the objects of a state, without a history. */
  restore({ revision, objects }: StorageState): void {
    this.#revision = revision;
    for (const { collection, object } of objects) {
      const stored = new StoredObject(collection, Number(resourceVersionOf(object)), object);
      const kept = this.#collections.get(collection) ?? new Map<string, StoredObject>();
      this.#collections.set(collection, kept.set(stored.key, stored));
      this.#sortedKeys.delete(collection);
      this.#publish({ type: 'put', revision: stored.revision, before: undefined, stored });
    }
    this.compact();
  }

  /** Drops the history: a reader of an earlier revision must list again. */
  compact(): void {
    this.#history = [];
    this.#historyCharacters = 0;
    this.#compactedRevision = this.#revision;
  }

  /** The same, and whoever has seen the latest revision must list again too. */
  expire(): void {
    this.#revision += 1;
    this.compact();
  }

  /** Calls `listener` after every write, in order; the returned function ends the subscription. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Drops the oldest changes. */
  #forget(count: number): void {
    for (const { revision, stored } of this.#history.splice(0, count)) {
      this.#compactedRevision = revision;
      this.#historyCharacters -= stored.tail.length;
    }
  }

  #publish(change: Change): void {
    this.#history.push(change);
    this.#historyCharacters += change.stored.tail.length;
    if (this.#history.length > HISTORY_LIMIT) this.#forget(HISTORY_LIMIT / 2);
    // The latest change is always kept, however large it is.
    while (this.#historyCharacters > HISTORY_CHARACTERS && this.#history.length > 1) {
      this.#forget(Math.ceil(this.#history.length / 2));
    }
    for (const listener of this.#listeners) listener(change);
  }
}
