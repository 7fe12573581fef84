/*
 * All watches of one cluster. The sources subscribe here; subscriptions to the same kind, namespace and selectors share
 * one `SharedWatch`, which starts with its first subscriber and ends with its last. This file also connects a watch to
 * its surroundings: metrics, log, kind cache, and the time of the last contact, by which the health check finds a deaf
 * operator. Subscribers of slices get a watch for each slice where these are by the hash of API servers and the API server
 * divides the kind (KEP-5866), and else share the watch of the whole target.
 */

import type { WatchTarget } from './list-watch.ts';
import { OpenWatches, type OpenWatch, type WatchesOptions, type WatchMetrics } from './open-watches.ts';
import type { WatchSubscriber } from './shared-watch.ts';

/** A subscription to a shared watch. */
export interface WatchSubscription {
  /** Relists. Subscribers receive only the differences, as events. */
  readonly relist: () => void;
  /**
   * When data last arrived from the server, in milliseconds since the epoch, answers to pings included; undefined
   * before the first time.
   */
  readonly lastContactAtMs: number | undefined;
  /** Ends the subscription; the last one ends the watch. */
  readonly unsubscribe: () => void;
}

/** The watches of one cluster; subscribers of the same target share one. */
export interface Watches {
  subscribe(target: WatchTarget, subscriber: WatchSubscriber): WatchSubscription;
  /** Resolves when all watches that were unsubscribed have ended. */
  ended(): Promise<void>;
}

/** Creates the watches of one cluster; each starts with its first subscriber and ends with its last. */
export function createWatches(options: WatchesOptions): Watches {
  const open = new OpenWatches(options);
  options.metrics.beforeRead.add(() => {
    observeContacts(options.metrics, open.all());
  });
  return {
    subscribe(target, subscriber) {
      const subscribed = open.subscribe(target, subscriber);
      return {
        relist: () => {
          subscribed.open.watch.relist();
        },
        get lastContactAtMs() {
          return subscribed.open.watch.lastContactAtMs;
        },
        unsubscribe: () => {
          open.unsubscribe(subscribed);
        },
      };
    },
    async ended() {
      await open.ended();
    },
  };
}

/** Watches of the same kind and namespace with different selectors share a series: the oldest contact counts. */
function observeContacts({ watchLastContact, informerDead }: WatchMetrics, watches: Iterable<OpenWatch>): void {
  watchLastContact.clear();
  const oldest = new Map<string, { readonly target: WatchTarget; readonly atMs: number }>();
  for (const { target, watch } of watches) {
    informerDead.of({ gvr: gvrOf(target.kind), namespace: target.namespace ?? '' });
    const key = `${target.namespace ?? ''}/${target.kind.kind}`;
    const atMs = watch.lastContactAtMs ?? 0;
    if (atMs <= (oldest.get(key)?.atMs ?? Infinity)) oldest.set(key, { target, atMs });
  }
  for (const { target, atMs } of oldest.values()) {
    watchLastContact.set({ kind: target.kind.kind, namespace: target.namespace ?? '' }, atMs / 1000);
  }
}

/** As Kubernetes writes a resource with its group and version: `apps/v1, Resource=deployments`. */
function gvrOf({ group, version, plural }: WatchTarget['kind']): string {
  return `${group}/${version}, Resource=${plural}`;
}
