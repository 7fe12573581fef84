import { KubeError, ResourceExpiredError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { KubeClient } from '../client.ts';
import type { Kinds } from '../kind.ts';
import { createListWatch, type ListWatchOptions, type WatchTarget } from './list-watch.ts';
import { SharedWatch, type WatchSubscriber } from './shared-watch.ts';
import type { Restart } from './watch-recovery.ts';

/** A subscriber's hold on a shared watch. */
export interface WatchSubscription {
  /** Lists again; what differs comes as events to all subscribers, what does not reaches none. */
  readonly relist: () => void;
  /** When anything last came from the server, answers to pings included; absent before the first time. */
  readonly lastContactAtMs: number | undefined;
  /** Ends the subscription, and with the last one the watch. */
  readonly unsubscribe: () => void;
}

/** All watches of one cluster: who watches the same target shares one. */
export interface Watches {
  subscribe(target: WatchTarget, subscriber: WatchSubscriber): WatchSubscription;
  /** Resolves when all watches that were let go have ended. */
  ended(): Promise<void>;
}

export interface WatchesOptions {
  readonly client: KubeClient;
  /** Told to forget what it knows when the API no longer has a kind. */
  readonly kinds: Pick<Kinds, 'invalidate'>;
  readonly log: Logger;
  readonly metrics: WatchMetrics;
  /** Silence after which a watch counts as dead; default 70 s. */
  readonly idleTimeoutMs?: number;
  /** Default `Date.now`. */
  readonly now?: () => number;
  /** Default `Math.random`. */
  readonly random?: () => number;
}

/** The metrics of watches. */
export type WatchMetrics = Pick<
  Metrics,
  'watches' | 'watchErrors' | 'reflectorRestarts' | 'watchLastContact' | 'watchContacts'
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
  options.metrics.watchContacts.add(() => {
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
  const { client, kinds, metrics, idleTimeoutMs, now = Date.now, random = Math.random } = options;
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
      log.warn({}, 'the end of a streamed list is late');
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

/** The peer's words for what broke a watch; nothing for what is no error. */
function watchErrorType({ reason, error }: Restart): string | undefined {
  if (error instanceof ResourceExpiredError) return 'expired';
  if (error instanceof KubeError && error.status === 0) return 'unexpected-eof';
  if (error !== undefined) return 'fail';
  return reason === 'short' ? 'eof' : undefined;
}

/** Watches of one kind and namespace with different selectors share a series: the oldest contact counts. */
function observeContacts({ watchLastContact }: WatchMetrics, watches: Iterable<OpenWatch>): void {
  watchLastContact.clear();
  const oldest = new Map<string, { readonly target: WatchTarget; readonly atMs: number }>();
  for (const { target, watch } of watches) {
    const key = `${target.namespace ?? ''}/${target.kind.kind}`;
    const atMs = watch.lastContactAtMs ?? 0;
    if (atMs <= (oldest.get(key)?.atMs ?? Infinity)) oldest.set(key, { target, atMs });
  }
  for (const { target, atMs } of oldest.values()) {
    watchLastContact.set({ kind: target.kind.kind, namespace: target.namespace ?? '' }, atMs / 1000);
  }
}
