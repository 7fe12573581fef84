/*
 * The last known state of one collection, and how it changes. `SharedWatch` calls `beginList`, `listObject` and
 * `endList` for a list, then `apply` and `delete` for the watch, and passes the returned changes to its subscribers. A
 * list is collected beside the current records and replaces them at its end, so readers never see half a list. An
 * object is known when its uid and resourceVersion are equal; a new uid under the same name is a deletion and an
 * addition.
 */

import type { KubeObject } from '../object.ts';
import { comparePlaces, isSamePlace, ObjectIndex } from './object-index.ts';

/** What the store keeps of an object. */
export interface ObjectRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Its JSON in UTF-8; undefined when no subscriber needs it. */
  readonly json: Uint8Array | undefined;
}

/**
 * A change of the collection. A deletion without `object` was not observed itself: `record` is the last known state,
 * not the final one.
 */
export type StoreChange =
  | { readonly type: 'Added'; readonly record: ObjectRecord; readonly object: KubeObject }
  | {
      readonly type: 'Modified';
      readonly record: ObjectRecord;
      readonly object: KubeObject;
      /** The resourceVersion of the state before. */
      readonly previousVersion: string;
    }
  | { readonly type: 'Deleted'; readonly record: ObjectRecord; readonly object?: KubeObject };

/**
 * The records of one collection.
 *
 * Resource versions are compared for equality only. A list is accepted even if it is older than the known state,
 * because a server may be restored from a backup: the watch that follows starts at the list's own version and delivers
 * the rest.
 */
export class Store {
  #records = new ObjectIndex<ObjectRecord>();
  #listed = new ObjectIndex<ObjectRecord>();
  #lastNamespace = '';
  #keepsObjects = false;

  get size(): number {
    return this.#records.size;
  }

  /**
   * Whether new records carry the JSON. When this becomes true, existing records get it once they are listed or change;
   * when it becomes false, all records drop it.
   */
  set keepsObjects(keepsObjects: boolean) {
    if (this.#keepsObjects && !keepsObjects) this.#dropObjects();
    this.#keepsObjects = keepsObjects;
  }

  /** A store with the same records, apart from which it changes by lists only. */
  fork(): Store {
    const fork = new Store();
    fork.#records = this.#records;
    return fork;
  }

  /** Drops the records that are not wanted, also those of a list that has not ended. */
  retain(isWanted: (record: ObjectRecord) => boolean): void {
    this.#records = selected(this.#records, isWanted);
    this.#listed = selected(this.#listed, isWanted);
  }

  /** A list begins; discards an earlier one that did not end. */
  beginList(): void {
    this.#listed = new ObjectIndex();
  }

  /** Adds an object of the list; `isKnown` when the store has it in exactly this version. */
  listObject(object: KubeObject): { readonly record: ObjectRecord; readonly isKnown: boolean } {
    const known = this.#records.get(object);
    const isKnown = known !== undefined && isSameVersion(known, object);
    const lacksJson = this.#keepsObjects && known?.json === undefined;
    const record = isKnown && !lacksJson ? known : this.#record(object, known);
    this.#listed.set(record);
    return { record, isKnown };
  }

  /**
   * The list is complete and replaces the records; returns the records that it lacks, including those whose name now
   * belongs to another uid.
   */
  endList(): readonly ObjectRecord[] {
    const previous = this.#records;
    this.#records = this.#listed;
    this.#listed = new ObjectIndex();
    // Both are sorted, so one pass over both finds the difference.
    const rest = this.#records[Symbol.iterator]();
    let found = rest.next().value;
    const gone: ObjectRecord[] = [];
    for (const record of previous) {
      while (found !== undefined && comparePlaces(found, record) < 0) found = rest.next().value;
      if (found === undefined || !isSamePlace(found, record) || found.uid !== record.uid) gone.push(record);
    }
    return gone;
  }

  /** Applies an added or modified object of the watch; returns no change when this version is known. */
  apply(object: KubeObject): readonly StoreChange[] {
    const known = this.#records.get(object);
    if (known !== undefined && isSameVersion(known, object)) return [];
    const record = this.#record(object, known);
    this.#records.set(record);
    if (known === undefined) return [{ type: 'Added', record, object }];
    const previousVersion = known.resourceVersion;
    if (known.uid === object.uid) return [{ type: 'Modified', record, object, previousVersion }];
    return [
      { type: 'Deleted', record: known },
      { type: 'Added', record, object },
    ];
  }

  /**
   * Applies a deletion of the watch; returns no change when the object is unknown or its name belongs to another uid.
   */
  delete(object: KubeObject): readonly StoreChange[] {
    const known = this.#records.get(object);
    if (known === undefined || known.uid !== object.uid) return [];
    this.#records.delete(object);
    return [{ type: 'Deleted', record: this.#record(object, known), object }];
  }

  /**
   * Creates a record. It reuses the strings of the previous record and of the last namespace, because there are many
   * records.
   */
  #record(object: KubeObject, known: ObjectRecord | undefined): ObjectRecord {
    if (object.namespace !== this.#lastNamespace) this.#lastNamespace = object.namespace;
    return {
      namespace: known?.namespace ?? this.#lastNamespace,
      name: known?.name ?? object.name,
      uid: known?.uid === object.uid ? known.uid : object.uid,
      resourceVersion: object.resourceVersion,
      json: this.#keepsObjects ? object.json() : undefined,
    };
  }

  #dropObjects(): void {
    const records = new ObjectIndex<ObjectRecord>();
    for (const record of this.#records) records.set({ ...record, json: undefined });
    this.#records = records;
  }
}

function selected(
  records: ObjectIndex<ObjectRecord>,
  isWanted: (record: ObjectRecord) => boolean,
): ObjectIndex<ObjectRecord> {
  const index = new ObjectIndex<ObjectRecord>();
  for (const record of records) if (isWanted(record)) index.set(record);
  return index;
}

function isSameVersion(record: ObjectRecord, object: KubeObject): boolean {
  if (object.resourceVersion === '') return false;
  return record.uid === object.uid && record.resourceVersion === object.resourceVersion;
}
