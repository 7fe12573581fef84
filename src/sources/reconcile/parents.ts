import type { Placed } from '../../kube/watch/object-index.ts';
import { placeKey } from '../kubernetes/late-views.ts';
import type { ParentFacts } from './part-filters.ts';

/** A parent that exists. */
export interface Parent extends Placed {
  readonly facts: ParentFacts;
  /** What of the object decides whether the hook is called: a digest, or the result of the binding's own filter. */
  readonly state: string;
  /** When the next resync of it is due, in milliseconds since the epoch. */
  dueMs: number;
}

/** The parents of a reconcile binding, by their keys and by their uids. */
export class Parents {
  readonly #byKey = new Map<string, Parent>();
  readonly #keys = new Map<string, string>();

  get(key: string): Parent | undefined {
    return this.#byKey.get(key);
  }

  withUid(uid: string): Parent | undefined {
    const key = this.#keys.get(uid);
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  all(): IterableIterator<Parent> {
    return this.#byKey.values();
  }

  /** Adds or replaces a parent; returns the one that it replaced. */
  set(parent: Parent): Parent | undefined {
    const key = placeKey(parent);
    const before = this.delete(key);
    this.#byKey.set(key, parent);
    this.#keys.set(parent.facts.uid, key);
    return before;
  }

  delete(key: string): Parent | undefined {
    const before = this.#byKey.get(key);
    if (before === undefined) return undefined;
    this.#byKey.delete(key);
    this.#keys.delete(before.facts.uid);
    return before;
  }
}
