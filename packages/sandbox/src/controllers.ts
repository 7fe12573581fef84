import type { Cluster } from './cluster.ts';
import { CustomResources } from './custom-resources.ts';
import { GarbageCollector } from './garbage-collection.ts';
import { NamespaceLifecycle } from './namespace-lifecycle.ts';
import type { Change } from './storage.ts';

/** The controllers that a sandbox can leave to real ones. */
export type OptionalController = 'garbageCollection' | 'namespaces';

/**
 * Runs the controllers that a control plane has after each write: garbage collection, the deletion of namespaces, and
 * serving what CustomResourceDefinitions define. The controllers in `left` are not run.
 *
 * They run in a microtask, so the writer gets its answer first, and everything is settled before the next request is
 * read. Changes that they make themselves are handled in the next round, until there are none.
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
