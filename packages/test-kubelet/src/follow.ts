import type { KubeClient } from '../../../src/kube/client.ts';
import type { ResourceKind } from '../../../src/kube/kind.ts';
import { createListWatch } from '../../../src/kube/watch/list-watch.ts';
import { reflect, RelistRequests } from '../../../src/kube/watch/reflector.ts';

/** A resource of the core group in one namespace, and what to call for its objects. */
export interface Followed<T> {
  readonly kind: string;
  readonly plural: string;
  readonly namespace: string;
  /** Called for an object that is new or has changed. */
  readonly onApply: (object: T) => void;
  /** Called for a deleted object, with its last known state. */
  readonly onDelete: (object: T) => void;
}

/** Follows objects until `signal` aborts, also across failures of the API server. */
export async function follow<T>(client: KubeClient, followed: Followed<T>, signal: AbortSignal): Promise<void> {
  const { kind, plural, namespace, onApply, onDelete } = followed;
  const source = createListWatch(
    client,
    { kind: resourceKind(kind, plural), namespace },
    {
      withoutStreaming: new Set(),
      onContact: () => {},
      onOpen: () => {},
      onLateList: () => {},
      random: Math.random,
    },
  );
  const options = { signal, relists: new RelistRequests(), onRestart: () => {}, now: Date.now, random: Math.random };
  const known = new Map<string, T>();
  let listed = new Set<string>();
  const apply = (uid: string, object: T): void => {
    known.set(uid, object);
    onApply(object);
  };
  const remove = (uid: string): void => {
    const last = known.get(uid);
    known.delete(uid);
    if (last !== undefined) onDelete(last);
  };
  for await (const event of reflect(source, options)) {
    switch (event.type) {
      case 'Init':
        listed = new Set();
        break;
      case 'InitApply':
        listed.add(event.object.uid);
        apply(event.object.uid, event.object.value as T);
        break;
      case 'InitDone':
        for (const uid of known.keys()) if (!listed.has(uid)) remove(uid);
        break;
      case 'Apply':
        apply(event.object.uid, event.object.value as T);
        break;
      case 'Delete':
        remove(event.object.uid);
        break;
    }
  }
}

function resourceKind(kind: string, plural: string): ResourceKind {
  return {
    group: '',
    version: 'v1',
    apiVersion: 'v1',
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    isNamespaced: true,
    verbs: ['get', 'list', 'watch'],
    subresources: [],
  };
}
