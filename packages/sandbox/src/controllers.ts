import type { Cluster } from './cluster.ts';
import { CustomResources } from './custom-resources.ts';
import { GarbageCollector } from './garbage-collection.ts';
import { NamespaceLifecycle } from './namespace-lifecycle.ts';
import type { Change } from './storage.ts';

/** The controllers that can be left to someone else: those for garbage collection and for namespaces. */
export type OptionalController = 'garbageCollection' | 'namespaces';

/**
 * Does what the control plane does by itself after a write: garbage collection, the end of namespaces, and the
 * service of CustomResourceDefinitions; `left` are not its business. It runs in a microtask, so the writer gets its answer first, and all is
 * settled before the next request is read.
 */
export function runControllers(
  cluster: Cluster,
  endWatches: (collection: string) => void,
  left: readonly OptionalController[] = [],
): void {
  const garbage = new GarbageCollector(cluster);
  const namespaces = new NamespaceLifecycle(cluster);
  const definitions = new CustomResources(cluster, endWatches);
  const collects = !left.includes('garbageCollection');
  const emptiesNamespaces = !left.includes('namespaces');
  let changes: Change[] = [];

  const settle = (): void => {
    while (changes.length > 0) {
      const batch = changes;
      changes = [];
      for (const change of batch) if (collects) garbage.collect(change);
      for (const change of batch) if (emptiesNamespaces) namespaces.note(change);
      for (const change of batch) definitions.note(change);
      namespaces.settle();
      definitions.settle();
    }
  };

  cluster.storage.subscribe((change) => {
    garbage.observe(change);
    if (changes.length === 0) queueMicrotask(settle);
    changes.push(change);
  });
}
