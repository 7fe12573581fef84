import type { KubeObject } from '../object.ts';
import { comparePlaces, isSamePlace, ObjectIndex } from './object-index.ts';

/** What is remembered of an object. */
export interface ObjectRecord {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Its JSON text, where the store keeps objects. */
  readonly json: Uint8Array | undefined;
}

/**
 * A change of the collection. Without `object` the deletion itself was not seen: `record` is the last known state, not
 * the final one.
 */
export type StoreChange =
  | { readonly type: 'Added' | 'Modified'; readonly record: ObjectRecord; readonly object: KubeObject }
  | { readonly type: 'Deleted'; readonly record: ObjectRecord; readonly object?: KubeObject };

/**
 * Remembers a collection and says how it changes. A new list is gathered beside the old one and replaces it at once.
 *
 * Resource versions are compared for equality only. A list is believed even when it is older than what was known (a
 * server may restore from a backup): the watch that follows starts at the list's own position and tells the rest.
 */
export class Store {
  #records = new ObjectIndex<ObjectRecord>();
  #listed = new ObjectIndex<ObjectRecord>();
  #lastNamespace = '';
  #keepsObjects = false;

  get size(): number {
    return this.#records.size;
  }

  /** Whether records carry the JSON text from now on; what a record has already stays until it is listed or changes. */
  set keepsObjects(keepsObjects: boolean) {
    if (this.#keepsObjects && !keepsObjects) this.#dropObjects();
    this.#keepsObjects = keepsObjects;
  }

  /** A list begins; what a list before it brought without coming to its end is forgotten. */
  beginList(): void {
    this.#listed = new ObjectIndex();
  }

  /** Takes an object of the list; `isKnown` when the store has it in exactly this version. */
  listObject(object: KubeObject): { readonly record: ObjectRecord; readonly isKnown: boolean } {
    const known = this.#records.get(object);
    const isKnown = known !== undefined && isSameVersion(known, object);
    const lacksJson = this.#keepsObjects && known?.json === undefined;
    const record = isKnown && !lacksJson ? known : this.#record(object, known);
    this.#listed.set(record);
    return { record, isKnown };
  }

  /** The list is complete and is the collection now; returns the records that are gone, a namesake's included. */
  endList(): readonly ObjectRecord[] {
    const previous = this.#records;
    this.#records = this.#listed;
    this.#listed = new ObjectIndex();
    // Both are in order, so one walk through both finds them.
    const rest = this.#records[Symbol.iterator]();
    let found = rest.next().value;
    const gone: ObjectRecord[] = [];
    for (const record of previous) {
      while (found !== undefined && comparePlaces(found, record) < 0) found = rest.next().value;
      if (found === undefined || !isSamePlace(found, record) || found.uid !== record.uid) gone.push(record);
    }
    return gone;
  }

  /** Takes an object of the watch; no change when it is known in this version already. */
  apply(object: KubeObject): readonly StoreChange[] {
    const known = this.#records.get(object);
    if (known !== undefined && isSameVersion(known, object)) return [];
    const record = this.#record(object, known);
    this.#records.set(record);
    if (known === undefined) return [{ type: 'Added', record, object }];
    if (known.uid === object.uid) return [{ type: 'Modified', record, object }];
    return [
      { type: 'Deleted', record: known },
      { type: 'Added', record, object },
    ];
  }

  /** Takes a deletion of the watch; no change when the object is unknown or its name belongs to another one by now. */
  delete(object: KubeObject): readonly StoreChange[] {
    const known = this.#records.get(object);
    if (known === undefined || known.uid !== object.uid) return [];
    this.#records.delete(object);
    return [{ type: 'Deleted', record: this.#record(object, known), object }];
  }

  /** A record that shares what strings it can with its predecessor and its neighbour, for there are many of them. */
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

function isSameVersion(record: ObjectRecord, object: KubeObject): boolean {
  if (object.resourceVersion === '') return false;
  return record.uid === object.uid && record.resourceVersion === object.resourceVersion;
}
