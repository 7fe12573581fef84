/*
 * All watches of one cluster. The sources subscribe here; subscriptions to the same kind, namespace and selectors share
 * one `SharedWatch`, which starts with its first subscriber and ends with its last. This file also connects a watch to
 * its surroundings: metrics, log, kind cache, and the time of the last contact, by which the health check finds a deaf
 * operator.
 */

import { KubeError, ResourceExpiredError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { KubeClient } from '../client.ts';
import type { Kinds } from '../kind.ts';
import { createListWatch, type ListWatchOptions, type WatchTarget } from './list-watch.ts';
import { SharedWatch, type WatchSubscriber } from './shared-watch.ts';
import type { Restart } from './watch-recovery.ts';

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

export interface WatchesOptions {
  readonly client: KubeClient;
  /** Invalidated when the API server answers 404 for a watched kind. */
  readonly kinds: Pick<Kinds, 'invalidate'>;
  readonly log: Logger;
  readonly metrics: WatchMetrics;
  /** A watch fails after this long without data; default 70 s. */
  readonly idleTimeoutMs?: number;
  /** After this long the server ends a watch whose connection is monitored; default 5 to 10 minutes. */
  readonly watchSeconds?: number | undefined;
  /** Default `Date.now`. */
  readonly now?: () => number;
  /** Default `Math.random`. */
  readonly random?: () => number;
}

/** The metrics of watches. */
export type WatchMetrics = Pick<
  Metrics,
  'watches' | 'watchErrors' | 'reflectorRestarts' | 'watchLastContact' | 'informerDead' | 'beforeRead'
>;

interface OpenWatch {
  readonly target: WatchTarget;
  readonly watch: SharedWatch;
  readonly controller: AbortController;
}

/** Creates the watches of one cluster; each starts with its first subscriber and ends with its last. */
export function createWatches(options: WatchesOptions): Watches {
  const open = new Map<string, OpenWatch>();
  const running = new Set<Promise<void>>();
  const withoutStreaming = new Set<string>();
  options.metrics.beforeRead.add(() => {
    observeContacts(options.metrics, open.values());
  });

  const start = (key: string, target: WatchTarget): OpenWatch => {
    const controller = new AbortController();
    const { watch, run } = createSharedWatch(target, options, withoutStreaming);
    const started: OpenWatch = { target, watch, controller };
    open.set(key, started);
    options.metrics.watches.set({}, open.size);
    const ended = run(controller.signal).finally(() => running.delete(ended));
    running.add(ended);
    return started;
  };

  return {
    subscribe(target, subscriber) {
      const key = targetKey(target);
      const { watch, controller } = open.get(key) ?? start(key, target);
      watch.add(subscriber);
      return {
        relist: () => {
          watch.relist();
        },
        get lastContactAtMs() {
          return watch.lastContactAtMs;
        },
        unsubscribe: () => {
          watch.remove(subscriber);
          if (watch.subscribers > 0 || controller.signal.aborted) return;
          controller.abort();
          open.delete(key);
          options.metrics.watches.set({}, open.size);
        },
      };
    },
    async ended() {
      await Promise.all(running);
    },
  };
}

function targetKey({ kind, namespace, labelSelector = '', fieldSelector = '' }: WatchTarget): string {
  return JSON.stringify([kind.apiVersion, kind.plural, namespace ?? '', labelSelector, fieldSelector]);
}

function createSharedWatch(target: WatchTarget, options: WatchesOptions, withoutStreaming: Set<string>) {
  const { client, kinds, metrics, idleTimeoutMs, watchSeconds, now = Date.now, random = Math.random } = options;
  const labels = { kind: target.kind.kind, namespace: target.namespace ?? '' };
  const log = options.log.child({ ...labels, ...selectors(target) });
  const onRestart = (restart: Restart): void => {
    metrics.reflectorRestarts.inc({ ...labels, reason: restart.reason });
    const errorType = watchErrorType(restart);
    if (errorType !== undefined) metrics.watchErrors.inc({ error_type: errorType });
    if (restart.reason === 'not-found') kinds.invalidate();
  };
  const watch = new SharedWatch({ log, onRestart, now, random });
  const listWatchOptions: ListWatchOptions = {
    withoutStreaming,
    random,
    idleTimeoutMs,
    watchSeconds,
    onContact: () => {
      watch.contacted();
    },
    onCarried: (carrier) => {
      watch.carriedBy(carrier);
    },
    onOpen: () => {
      watch.opened();
    },
    onLateList: () => {
      log.warn({}, 'streamed list is late: it has not ended');
    },
  };
  return {
    watch,
    run: async (signal: AbortSignal): Promise<void> => {
      await watch.run(createListWatch(client, target, listWatchOptions), signal);
    },
  };
}

function selectors({ labelSelector, fieldSelector }: WatchTarget) {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** The error types of shell-operator; undefined for a regular end. */
function watchErrorType({ reason, error }: Restart): string | undefined {
  if (error instanceof ResourceExpiredError) return 'expired';
  if (error instanceof KubeError && error.status === 0) return 'unexpected-eof';
  if (error !== undefined) return 'fail';
  return reason === 'short' ? 'eof' : undefined;
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
