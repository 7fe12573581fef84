// A watch is an open response that gets one line of JSON per event. It has two phases. First come the `firstSteps`, which are what
// the options ask for: all existing objects as ADDED events, followed by a bookmark if bookmarks are allowed; or the
// changes since the given resourceVersion; or a 410 as an ERROR event, if the history does not reach back to it. Then
// every write to the storage is sent to the watchers that it concerns, with bookmarks in between, until the timeout,
// the end of the connection, or the end of the collection's service.
//
// Both phases start in the same synchronous call, so no event is lost or sent twice between them. Events are sent in
// the order of writes. Where a webhook converts the objects, a `WatchFeed` holds the events until that is done.

import type { Reply, Target, WatchSink } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { tooLargeResourceVersion, type ListOptions } from './list-options.ts';
import { expired, StatusError } from './status-error.ts';
import { StoredObject, type Change } from './storage.ts';
import { WatchFeed } from './watch-feed.ts';
import { viewOf, viewsOf } from './webhooks/conversion.ts';
import { withCalls } from './webhooks/with-calls.ts';
import { objectText, typeFields } from './wire.ts';

interface Watched {
  readonly target: Target;
  readonly options: ListOptions;
  readonly sink: WatchSink;
}

interface Watcher extends Watched {
  /** Sends what a step means to this watcher, if anything; converted objects are sent later, in order. */
  readonly take: (step: Step) => void;
}

const MINIMUM_TIMEOUT_SECONDS = 1800;

// A watch gets a bookmark this long before its end, from which the client can resume.
const LAST_BOOKMARK_SECONDS = 2;

/** All open watches; each write is sent to the watchers that it concerns. */
export class Watches {
  readonly #cluster: Cluster;
  readonly #bookmarkIntervalMs: number;
  readonly #watchers = new Map<string, Set<Watcher>>();

  constructor(cluster: Cluster, bookmarkIntervalMs: number) {
    this.#cluster = cluster;
    this.#bookmarkIntervalMs = bookmarkIntervalMs;
    cluster.storage.subscribe((change) => this.#tell(change));
  }

  /** Answers a watch: with the initial events that the options ask for, and then with live events until the timeout. */
  watch(target: Target, options: ListOptions): Reply {
    const { revision } = this.#cluster.storage;
    if (options.sendInitialEvents === true && options.revision > revision) {
      throw tooLargeResourceVersion(options.revision, revision);
    }
    return { type: 'stream', open: (sink) => this.#open(this.#watcher({ target, options, sink })) };
  }

  /** Ends the watches on a collection, because its service ends or its definition has changed. */
  end(collection: string): void {
    for (const watcher of this.#watchers.get(collection) ?? []) watcher.sink.end();
  }

  #watcher(watched: Watched): Watcher {
    const { target, sink } = watched;
    const cluster = this.#cluster;
    if (target.kind.custom?.converter === undefined) {
      return { ...watched, take: (step) => takeStep(cluster, watched, step) };
    }
    const feed = new WatchFeed<Step>({
      take: (steps) => withCalls(cluster, (scoped) => convertSteps(scoped, watched, steps)),
      taken: (step) => takeStep(cluster, watched, step),
      failed: (error) => fail(sink, error),
    });
    sink.onClose(() => feed.end());
    return { ...watched, take: (step) => feed.push(step) };
  }

  #open(watcher: Watcher): void {
    const { target, options, sink } = watcher;
    const steps = firstSteps(this.#cluster, watcher);
    if (steps instanceof StatusError) {
      fail(sink, steps);
      return;
    }
    for (const step of steps) watcher.take(step);
    const watchers = this.#watchers.get(target.kind.collection) ?? new Set();
    this.#watchers.set(target.kind.collection, watchers.add(watcher));
    const bookmarks = setInterval(() => this.#bookmark(watcher), this.#bookmarkIntervalMs);
    const seconds = options.timeoutSeconds ?? MINIMUM_TIMEOUT_SECONDS * (1 + Math.random());
    const timeout = setTimeout(() => sink.end(), seconds * 1000);
    const lastBookmarkMs = (seconds - LAST_BOOKMARK_SECONDS) * 1000;
    const lastBookmark = lastBookmarkMs > 0 ? setTimeout(() => this.#bookmark(watcher), lastBookmarkMs) : undefined;
    sink.onClose(() => {
      clearInterval(bookmarks);
      clearTimeout(timeout);
      clearTimeout(lastBookmark);
      watchers.delete(watcher);
    });
  }

  #bookmark({ target, options, take }: Watcher): void {
    if (!options.allowWatchBookmarks) return;
    take({ type: 'bookmark', line: bookmarkLine(target.kind, this.#cluster.storage.revision) });
  }

  #tell(change: Change): void {
    const lines = new Map<string, Buffer>();
    for (const watcher of this.#watchers.get(change.stored.collection) ?? []) {
      if (watcher.target.kind.custom?.converter !== undefined) {
        watcher.take({ type: 'change', change });
        continue;
      }
      const event = eventFor(this.#cluster, watcher, change);
      if (event === undefined) continue;
      const cacheKey = `${event.type} ${watcher.target.kind.version} ${watcher.target.kind.group}`;
      const line = lines.get(cacheKey) ?? Buffer.from(eventLine(watcher.target.kind, event));
      lines.set(cacheKey, line);
      watcher.sink.write(line, 'event');
    }
  }
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly stored: StoredObject;
}

/** Something that a watcher is told: a change, or a bookmark. */
type Step = { readonly type: 'change'; readonly change: Change } | { readonly type: 'bookmark'; readonly line: string };

/** What precedes the live events; or the error with which the watch ends instead. */
function firstSteps({ storage }: Cluster, { target, options }: Watched): readonly Step[] | StatusError {
  const { kind } = target;
  const initial = options.sendInitialEvents ?? options.revision === 0;
  if (initial) {
    const steps: Step[] = storage.list(kind.collection).map((stored) => {
      return { type: 'change', change: { type: 'put', revision: stored.revision, before: undefined, stored } };
    });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const line = bookmarkLine(kind, storage.revision, annotations);
    return options.allowWatchBookmarks ? [...steps, { type: 'bookmark', line }] : steps;
  }
  if (options.revision === 0) return [];
  const changes = storage.changesSince(kind.collection, options.revision);
  if (changes === undefined) {
    return expired(`too old resource version: ${options.revision} (${storage.compactedRevision})`);
  }
  return changes.map((change) => ({ type: 'change', change }));
}

function takeStep(cluster: Cluster, watched: Watched, step: Step): void {
  if (step.type === 'bookmark') {
    watched.sink.write(step.line, 'bookmark');
    return;
  }
  const event = eventFor(cluster, watched, step.change);
  if (event !== undefined) watched.sink.write(eventLine(watched.target.kind, event), 'event');
}

/** Has the objects of these steps converted, which `takeStep` then finds. */
function convertSteps(cluster: Cluster, { target }: Watched, steps: readonly Step[]): void {
  const objects = steps.flatMap((step) => {
    if (step.type === 'bookmark') return [];
    const { before, stored } = step.change;
    return [...(before === undefined ? [] : [before]), stored].filter((one) => inNamespace(target, one));
  });
  viewsOf(cluster, target.kind, objects);
}

function fail(sink: WatchSink, { status }: StatusError): void {
  sink.write(`${JSON.stringify({ type: 'ERROR', object: status })}\n`, 'event');
  sink.end();
}

function inNamespace({ namespace }: Target, stored: StoredObject): boolean {
  return namespace === '' || stored.namespace === namespace;
}

function concerns({ target, options }: Watched, stored: StoredObject): boolean {
  return inNamespace(target, stored) && options.matches(stored.object);
}

/**
 * The event of a change for one watcher, if any: to it, an object that starts to match is ADDED, and one that stops to
 * match is DELETED.
 */
function eventFor(cluster: Cluster, watched: Watched, change: Change): WatchEvent | undefined {
  const { kind, namespace } = watched.target;
  if (namespace !== '' && change.stored.namespace !== namespace) return undefined;
  const stored = viewOf(cluster, kind, change.stored);
  const before = change.before === undefined ? undefined : viewOf(cluster, kind, change.before);
  const matched = before !== undefined && concerns(watched, before);
  if (change.type === 'delete') return matched ? { type: 'DELETED', stored } : undefined;
  if (concerns(watched, stored)) return { type: matched ? 'MODIFIED' : 'ADDED', stored };
  if (!matched) return undefined;
  return { type: 'DELETED', stored: new StoredObject(before.collection, change.revision, before.object) };
}

function eventLine(kind: ServedKind, event: WatchEvent): string {
  return `{"type":"${event.type}","object":${objectText(kind, event.stored)}}\n`;
}

function bookmarkLine(kind: ServedKind, revision: number, annotations?: JsonObject): string {
  const metadata = { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) };
  return `{"type":"BOOKMARK","object":{${typeFields(kind, kind.kind)},"metadata":${JSON.stringify(metadata)}}}\n`;
}
