// The garbage collector of the control plane, which acts on `metadata.ownerReferences` and on the deletion policies
// Foreground and Orphan. controllers.ts calls `observe` for every change, in order and at once, which keeps an index of
// objects by uid and of dependents by the uid of their owner. It calls `collect` for the same change later, after the
// write was answered.
//
// For a dependent, an owner is in one of three states: gone (no object has this uid), waiting (terminating with the
// finalizer `foregroundDeletion`, so it waits for its dependents to go first) or solid (anything else). A dependent
// with a solid owner stays, and only its references to the other owners are removed. A dependent without one is
// deleted.
//
// For a terminating object, the finalizer `orphan` means that its uid is removed from its dependents, and
// `foregroundDeletion` that the dependents whose reference has `blockOwnerDeletion` go first. Then the finalizer is
// removed.
//
// A change may be collected after the object has changed again. So references and finalizers are removed only if the
// object is still the one that was seen; the later change gets a `collect` of its own.

import type { Cluster } from './cluster.ts';
import { deleteStored } from './delete.ts';
import { storeOrRemove } from './finalization.ts';
import { at, textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { finalizersOf, isTerminating, ownerReferencesOf, withMetadata } from './object-meta.ts';
import type { Change, StoredObject } from './storage.ts';

const MAX_GONE = 100_000;

/** Deletes objects that have lost their owners, and carries out the Foreground and Orphan policies. */
export class GarbageCollector {
  readonly #cluster: Cluster;
  readonly #objects = new Map<string, StoredObject>();
  readonly #dependents = new Map<string, Set<string>>();
  /** The uids that went away, as far as mirrored objects may have them as owners. */
  readonly #gone = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Updates the index; must be called for every change, in order, before `collect`. */
  observe({ type, before, stored }: Change): void {
    if (before !== undefined) {
      for (const owner of ownerUids(before)) this.#dependents.get(owner)?.delete(before.uid);
      if (before.uid !== stored.uid) this.#objects.delete(before.uid);
    }
    if (type === 'delete') {
      this.#objects.delete(stored.uid);
      if (this.#cluster.mirrored.size > 0) this.#noteGone(stored.uid);
      return;
    }
    this.#objects.set(stored.uid, stored);
    for (const owner of ownerUids(stored)) {
      this.#dependents.set(owner, (this.#dependents.get(owner) ?? new Set()).add(stored.uid));
    }
  }

  #noteGone(uid: string): void {
    if (this.#gone.size >= MAX_GONE) this.#gone.clear();
    this.#gone.add(uid);
  }

  /** Acts on a change that was observed before. */
  collect({ type, stored }: Change): void {
    if (type === 'delete') {
      for (const dependent of this.#dependentsOf(stored.uid)) this.#examine(dependent);
      this.#dependents.delete(stored.uid);
      for (const owner of ownerUids(stored)) this.#examineUid(owner);
      return;
    }
    this.#examineUid(stored.uid);
  }

  #examineUid(uid: string): void {
    const object = this.#objects.get(uid);
    if (object !== undefined) this.#examine(object);
  }

  #examine(object: StoredObject): void {
    if (isTerminating(object.object)) this.#finish(object);
    else if (ownerUids(object).length > 0 && !this.#isOwnedElsewhere(object)) this.#examineOwners(object);
  }

  /** Carries out the finalizers `orphan` and `foregroundDeletion` of a terminating object. */
  #finish(object: StoredObject): void {
    const dependents = this.#dependentsOf(object.uid);
    if (finalizersOf(object.object).includes('orphan')) {
      for (const dependent of dependents) this.#dropOwners(dependent, [object.uid]);
      this.#removeFinalizer(object.uid, 'orphan');
      return;
    }
    if (!finalizersOf(object.object).includes('foregroundDeletion')) return;
    const blocking = dependents.filter((dependent) => blocks(dependent, object.uid));
    if (blocking.length === 0) this.#removeFinalizer(object.uid, 'foregroundDeletion');
    for (const dependent of blocking) if (!isTerminating(dependent.object)) this.#examineOwners(dependent);
  }

  /** Whether it is a mirrored object with an owner that only its own API server has. */
  #isOwnedElsewhere(object: StoredObject): boolean {
    if (!this.#cluster.mirrored.has(object.uid)) return false;
    return ownerUids(object).some((uid) => !this.#objects.has(uid) && !this.#gone.has(uid));
  }

  #examineOwners(dependent: StoredObject): void {
    const gone: string[] = [];
    let waiting = false;
    let solid = false;
    for (const uid of ownerUids(dependent)) {
      const owner = this.#objects.get(uid);
      if (owner === undefined) gone.push(uid);
      else if (waitsForDependents(owner)) waiting = true;
      else solid = true;
    }
    if (solid) {
      const useless = ownerUids(dependent).filter((uid) => !this.#isSolid(uid));
      if (useless.length > 0) this.#dropOwners(dependent, useless);
      return;
    }
    if (!waiting && gone.length === 0) return;
    const propagation = waiting && this.#dependentsOf(dependent.uid).length > 0 ? 'Foreground' : 'Background';
    deleteStored(this.#cluster, dependent, { propagation, gracePeriodSeconds: undefined, dryRun: false });
  }

  #isSolid(uid: string): boolean {
    const owner = this.#objects.get(uid);
    return owner !== undefined && !waitsForDependents(owner);
  }

  #dependentsOf(uid: string): readonly StoredObject[] {
    return [...(this.#dependents.get(uid) ?? [])]
      .map((dependent) => this.#objects.get(dependent))
      .filter((dependent) => dependent !== undefined);
  }

  #dropOwners(dependent: StoredObject, uids: readonly string[]): void {
    const ownerReferences = ownerReferencesOf(dependent.object).filter((owner) => !uids.includes(textAt(owner, 'uid')));
    this.#store(dependent, withMetadata(dependent.object, { ownerReferences }));
  }

  #removeFinalizer(uid: string, finalizer: string): void {
    const object = this.#objects.get(uid);
    if (object === undefined) return;
    const finalizers = finalizersOf(object.object).filter((name) => name !== finalizer);
    this.#store(object, withMetadata(object.object, { finalizers }));
  }

  /** Stores a new state unless the object has changed since it was seen. */
  #store(seen: StoredObject, next: JsonObject): void {
    const current = this.#cluster.storage.get(seen.collection, seen.namespace, seen.name);
    if (current === seen) storeOrRemove(this.#cluster.storage, seen, next);
  }
}

function ownerUids(stored: StoredObject): readonly string[] {
  return ownerReferencesOf(stored.object).map((owner) => textAt(owner, 'uid'));
}

function waitsForDependents(owner: StoredObject): boolean {
  return isTerminating(owner.object) && finalizersOf(owner.object).includes('foregroundDeletion');
}

function blocks(dependent: StoredObject, owner: string): boolean {
  return ownerReferencesOf(dependent.object).some(
    (reference) => textAt(reference, 'uid') === owner && at(reference, 'blockOwnerDeletion') === true,
  );
}
