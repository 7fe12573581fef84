// A watch is an open response that gets one line of JSON per event. It has two phases. First, `startWatcher` sends what
// the options ask for: all existing objects as ADDED events, followed by a bookmark if bookmarks are allowed; or the
// changes since the given resourceVersion; or a 410 as an ERROR event, if the history does not reach back to it. Then
// every write to the storage is sent to the watchers that it concerns, with bookmarks in between, until the timeout,
// the end of the connection, or the end of the collection's service.
//
// Both phases start in the same synchronous call, so no event is lost or sent twice between them. Events are sent in
// the order of writes.

import type { Reply, Target, WatchSink } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { tooLargeResourceVersion, type ListOptions } from './list-options.ts';
import { expired, type StatusError } from './status-error.ts';
import { StoredObject, type Change } from './storage.ts';
import { objectText, typeFields } from './wire.ts';

interface Watcher {
  readonly target: Target;
  readonly options: ListOptions;
  readonly sink: WatchSink;
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
    return { type: 'stream', open: (sink) => this.#open({ target, options, sink }) };
  }

  /** Ends the watches on a collection, because its service ends or its definition has changed. */
  end(collection: string): void {
    for (const watcher of this.#watchers.get(collection) ?? []) watcher.sink.end();
  }

  #open(watcher: Watcher): void {
    const { target, options, sink } = watcher;
    const error = startWatcher(this.#cluster, watcher);
    if (error !== undefined) {
      sink.write(`${JSON.stringify({ type: 'ERROR', object: error.status })}\n`, 'event');
      sink.end();
      return;
    }
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

  #bookmark({ target, options, sink }: Watcher): void {
    if (options.allowWatchBookmarks) sink.write(bookmarkLine(target.kind, this.#cluster.storage.revision), 'bookmark');
  }

  #tell(change: Change): void {
    const lines = new Map<string, Buffer>();
    for (const watcher of this.#watchers.get(change.stored.collection) ?? []) {
      const event = eventFor(watcher, change);
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

/** Sends the events that precede the live ones; returns the error with which the watch ends instead. */
function startWatcher({ storage }: Cluster, watcher: Watcher): StatusError | undefined {
  const { target, options, sink } = watcher;
  const { kind } = target;
  const initial = options.sendInitialEvents ?? options.revision === 0;
  if (initial) {
    for (const stored of storage.list(kind.collection)) {
      if (concerns(watcher, stored)) sink.write(eventLine(kind, { type: 'ADDED', stored }), 'event');
    }
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    if (options.allowWatchBookmarks) sink.write(bookmarkLine(kind, storage.revision, annotations), 'bookmark');
    return undefined;
  }
  if (options.revision === 0) return undefined;
  const changes = storage.changesSince(kind.collection, options.revision);
  if (changes === undefined) {
    return expired(`too old resource version: ${options.revision} (${storage.compactedRevision})`);
  }
  for (const change of changes) {
    const event = eventFor(watcher, change);
    if (event !== undefined) sink.write(eventLine(kind, event), 'event');
  }
  return undefined;
}

function concerns({ target, options }: Watcher, stored: StoredObject): boolean {
  return (target.namespace === '' || stored.namespace === target.namespace) && options.matches(stored.object);
}

/**
 * The event of a change for one watcher, if any: to it, an object that starts to match is ADDED, and one that stops to
 * match is DELETED.
 */
function eventFor(watcher: Watcher, change: Change): WatchEvent | undefined {
  const { before, stored } = change;
  const matched = before !== undefined && concerns(watcher, before);
  if (change.type === 'delete') return matched ? { type: 'DELETED', stored } : undefined;
  if (concerns(watcher, stored)) return { type: matched ? 'MODIFIED' : 'ADDED', stored };
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
