/*
 * The open watches of a cluster, one for each target, and who is subscribed to which. Where slices are by the hash of API
 * servers, a target with a slice gets a watch of its own as long as its kind is not known to be undivided. As soon as it
 * is (the first list of a slice asks, and any later answer may show it), the watches of its slices end, and their
 * subscribers go over to the watch of the whole target, as later ones do at once.
 */

import { KubeError, ResourceExpiredError } from '../../errors.ts';
import type { SliceHash } from '../../lib/slice-hash.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { KubeClient } from '../client.ts';
import type { Kinds, ResourceKind } from '../kind.ts';
import { Divisions } from './divisions.ts';
import { kindKey } from './list-requests.ts';
import { createListWatch, type ListWatchOptions, type WatchTarget } from './list-watch.ts';
import { SharedWatch, type Member, type WatchSubscriber } from './shared-watch.ts';
import type { Restart } from './watch-recovery.ts';

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
  /** What slices are by; a server can be asked only for those by `fnv1a`. Default `mixed`. */
  readonly sliceHash?: SliceHash | undefined;
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

/** A watch that runs. */
export interface OpenWatch {
  readonly target: WatchTarget;
  readonly watch: SharedWatch;
  readonly controller: AbortController;
  readonly subscribed: Set<Subscribed>;
}

/** A subscription, and the watch that serves it now. */
export interface Subscribed {
  readonly member: Member;
  open: OpenWatch;
}

/** The open watches of a cluster; each starts with its first subscriber and ends with its last. */
export class OpenWatches {
  readonly #options: WatchesOptions;
  readonly #open = new Map<string, OpenWatch>();
  readonly #running = new Set<Promise<void>>();
  readonly #withoutStreaming = new Set<string>();
  readonly #divisions = new Divisions();

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  all(): Iterable<OpenWatch> {
    return this.#open.values();
  }

  subscribe(target: WatchTarget, subscriber: WatchSubscriber): Subscribed {
    const isUndivided = this.#options.sliceHash !== 'fnv1a' || this.#divisions.isDenied(kindKey(target.kind));
    const open = this.#watchOf(isUndivided ? wholeOf(target) : target);
    const subscribed: Subscribed = { member: open.watch.add(subscriber, target.slice), open };
    open.subscribed.add(subscribed);
    return subscribed;
  }

  unsubscribe(subscribed: Subscribed): void {
    const { member, open } = subscribed;
    open.watch.remove(member);
    open.subscribed.delete(subscribed);
    if (open.watch.subscribers === 0) this.#end(open);
  }

  /** Resolves when all watches without subscribers have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #watchOf(target: WatchTarget): OpenWatch {
    const key = targetKey(target);
    return this.#open.get(key) ?? this.#start(key, target);
  }

  #start(key: string, target: WatchTarget): OpenWatch {
    const controller = new AbortController();
    const { watch, run } = createSharedWatch(target, this.#options, {
      withoutStreaming: this.#withoutStreaming,
      divisions: this.#divisions,
      onDenied: () => this.#undivide(target.kind),
    });
    const started: OpenWatch = { target, watch, controller, subscribed: new Set() };
    this.#open.set(key, started);
    this.#options.metrics.watches.set({}, this.#open.size);
    const ended = run(controller.signal).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
    return started;
  }

  #end({ target, controller }: OpenWatch): void {
    if (controller.signal.aborted) return;
    controller.abort();
    this.#open.delete(targetKey(target));
    this.#options.metrics.watches.set({}, this.#open.size);
  }

  #undivide(kind: ResourceKind): void {
    for (const from of this.#open.values()) {
      if (from.target.slice === undefined || kindKey(from.target.kind) !== kindKey(kind)) continue;
      this.#end(from);
      const to = this.#watchOf(wholeOf(from.target));
      for (const subscribed of from.subscribed) {
        subscribed.open = to;
        to.subscribed.add(subscribed);
      }
      to.watch.takeOver(from.watch);
    }
  }
}

function targetKey({ kind, namespace, labelSelector = '', fieldSelector = '', slice }: WatchTarget): string {
  const part = slice === undefined ? '' : `${slice.field}/${slice.index}`;
  return JSON.stringify([kind.apiVersion, kind.plural, namespace ?? '', labelSelector, fieldSelector, part]);
}

function wholeOf(target: WatchTarget): WatchTarget {
  const { slice: _slice, ...whole } = target;
  return whole;
}

/** What the API server is known not to do, and who must know when it turns out. */
interface Features {
  readonly withoutStreaming: Set<string>;
  readonly divisions: Divisions;
  readonly onDenied: () => void;
}

function createSharedWatch(
  target: WatchTarget,
  options: WatchesOptions,
  { withoutStreaming, divisions, onDenied }: Features,
) {
  const {
    client,
    kinds,
    metrics,
    idleTimeoutMs,
    watchSeconds,
    sliceHash,
    now = Date.now,
    random = Math.random,
  } = options;
  const labels = { kind: target.kind.kind, namespace: target.namespace ?? '' };
  const log = options.log.child({ ...labels, ...selectors(target) });
  const onRestart = (restart: Restart): void => {
    metrics.reflectorRestarts.inc({ ...labels, reason: restart.reason });
    const errorType = watchErrorType(restart);
    if (errorType !== undefined) metrics.watchErrors.inc({ error_type: errorType });
    if (restart.reason === 'not-found') kinds.invalidate();
  };
  const watch = new SharedWatch({ log, onRestart, now, random, sliceHash });
  const listWatchOptions: ListWatchOptions = {
    withoutStreaming,
    interest: watch.interest,
    ...(target.slice !== undefined && { division: { divisions, key: kindKey(target.kind), onDenied } }),
    random,
    idleTimeoutMs,
    watchSeconds,
    onContact: () => watch.contacted(),
    onCarried: (carrier) => watch.carriedBy(carrier),
    onOpen: () => watch.opened(),
    onLateList: () => log.warn({}, 'streamed list is late: it has not ended'),
  };
  return {
    watch,
    run: async (signal: AbortSignal): Promise<void> => {
      await watch.run(createListWatch(client, target, listWatchOptions), signal);
    },
  };
}

function selectors({ labelSelector, fieldSelector, slice }: WatchTarget) {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(slice === undefined ? {} : { slice: slice.index }),
  };
}

/** The error types of shell-operator; undefined for a regular end. */
function watchErrorType({ reason, error }: Restart): string | undefined {
  if (error instanceof ResourceExpiredError) return 'expired';
  if (error instanceof KubeError && error.status === 0) return 'unexpected-eof';
  if (error !== undefined) return 'fail';
  return reason === 'short' ? 'eof' : undefined;
}
