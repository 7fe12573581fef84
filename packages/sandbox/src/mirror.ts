import type { Cluster } from './cluster.ts';
import { textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { nameOf, namespaceOf, uidOf } from './object-meta.ts';
import type { StoredObject } from './storage.ts';
import { toStored } from './wire.ts';

/**
 * Objects of another API server, stored as that one has them: with their uids, times, owners and status. Nothing is
 * checked, completed or asked, and no controller deletes them because of owners that this sandbox never had.
 */
export interface Mirror {
  /** Stores an object in place of any of its name; returns its resourceVersion here. Throws for a kind that is not served. */
  put(object: JsonObject): string;
  /** Removes an object at once, whatever finalizers it has; one that is not there is no error. */
  remove(object: JsonObject): void;
  /** The resourceVersion of an object here; undefined where there is none. */
  versionOf(object: JsonObject): string | undefined;
  /** Whether the kind of an object is served. */
  serves(object: JsonObject): boolean;
}

/** Creates the mirror of a sandbox. */
export function createMirror(cluster: Cluster): Mirror {
  const { storage, kinds, mirrored } = cluster;
  const kindOf = (object: JsonObject): ServedKind | undefined =>
    kinds.ofObject(textAt(object, 'apiVersion'), textAt(object, 'kind'));
  const stored = (object: JsonObject): StoredObject | undefined => {
    const kind = kindOf(object);
    return kind && storage.get(kind.collection, namespaceOf(object), nameOf(object));
  };
  return {
    put(object) {
      const kind = kindOf(object);
      if (kind === undefined) {
        throw new Error(`no kind "${textAt(object, 'kind')}" is served in version "${textAt(object, 'apiVersion')}"`);
      }
      const before = stored(object);
      if (before !== undefined && before.uid !== uidOf(object)) storage.remove(before.collection, before);
      mirrored.add(uidOf(object));
      return String(storage.put(kind.collection, toStored(kind, object)).revision);
    },
    remove(object) {
      const before = stored(object);
      if (before !== undefined) storage.remove(before.collection, before);
    },
    versionOf: (object) => {
      const found = stored(object);
      return found && String(found.revision);
    },
    serves: (object) => kindOf(object) !== undefined,
  };
}
