import type { Cluster } from './cluster.ts';
import { deleteStored } from './delete.ts';
import { storeOrRemove } from './finalization.ts';
import { textsAt } from './json-fields.ts';
import { isTerminating } from './object-meta.ts';
import type { Change } from './storage.ts';

/** Deletes the contents of a terminating namespace, and then its finalizer. */
export class NamespaceLifecycle {
  readonly #cluster: Cluster;
  readonly #noted = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Must be called for every change; records the namespaces that it affects for `settle`. */
  note({ type, stored }: Change): void {
    const name = stored.collection === 'namespaces' ? stored.name : stored.namespace;
    if (name !== '' && (type === 'delete' || stored.collection === 'namespaces')) this.#noted.add(name);
  }

  /** Brings the recorded namespaces up to date. */
  settle(): void {
    const names = [...this.#noted];
    this.#noted.clear();
    for (const name of names) this.#settleNamespace(name);
  }

  #settleNamespace(name: string): void {
    const { storage } = this.#cluster;
    const namespace = storage.get('namespaces', '', name);
    if (namespace === undefined || !isTerminating(namespace.object)) return;
    let left = 0;
    for (const stored of storage.collections().flatMap((collection) => storage.list(collection))) {
      if (stored.namespace !== name) continue;
      left += 1;
      // Without a grace period, as no kubelet would end the pods.
      const options = { propagation: 'Background', gracePeriodSeconds: 0, dryRun: false } as const;
      if (deleteStored(this.#cluster, stored, options).removed) left -= 1;
    }
    if (left > 0 || !textsAt(namespace.object, 'spec', 'finalizers').includes('kubernetes')) return;
    storeOrRemove(storage, namespace, { ...namespace.object, spec: {} });
  }
}
