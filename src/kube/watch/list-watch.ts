/*
 * The two requests of a reflector, list and watch, as streams of frames. A list is streamed if the server supports it
 * (a watch with `sendInitialEvents`), which then continues as the watch; else it is read in pages. A kind whose server
 * refuses streaming is remembered for all watches; after any other failure of a streamed list the next attempt uses
 * pages. `reflector.ts` decides when to list or watch again. A watch must never be silent without notice: over HTTP/2
 * pings monitor its connection; over HTTP/1.1 it is reopened after 31 s of silence at the latest; and any watch without
 * data for 70 s fails.
 */

import { KubeError, ResourceExpiredError } from '../../errors.ts';
import { nextTurn } from '../../lib/turn.ts';
import type { KubeClient, KubeRequest } from '../client.ts';
import type { Carrier } from '../http/http.ts';
import { resourcePath, type ResourceKind } from '../kind.ts';
import { malformed, type KubeObject } from '../object.ts';
import { readItem, scanList } from './object-list.ts';
import { QuietEnd } from './quiet-end.ts';
import { readFrame, type WatchFrame } from './watch-frame.ts';

/** What to list and watch: the objects of a kind, in one namespace or all, that match the selectors. */
export interface WatchTarget {
  readonly kind: ResourceKind;
  /** When absent, all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** When absent, all objects; else those alone whose namespace or uid is in this slice of all hashes. */
  readonly slice?: { readonly field: 'namespace' | 'uid'; readonly index: number };
}

/** The frames of a list. A streamed list continues with the frames of its watch after `ListDone`. */
export type ListFrame =
  | { readonly type: 'ListStart' }
  | { readonly type: 'Listed'; readonly object: KubeObject }
  | { readonly type: 'ListDone'; readonly resourceVersion: string }
  | WatchFrame;

/** The two requests a reflector makes. */
export interface ListWatch {
  /** Lists the collection in a version not older than `resourceVersion`; when that is empty, in the newest version. */
  list(resourceVersion: string, signal: AbortSignal): AsyncIterable<ListFrame>;
  /** Watches the changes after `resourceVersion`. */
  watch(resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchFrame>;
}

export interface ListWatchOptions {
  /**
   * Kinds whose server refused a streamed list; shared by all watches of a cluster, so that each kind is tried once.
   */
  readonly withoutStreaming: Set<string>;
  /** Called whenever bytes arrive from the server. */
  readonly onContact: () => void;
  /** Called with the connection that carries the request. */
  readonly onCarried?: (carrier: Carrier) => void;
  /** Called when the server accepted a watch or answered a list. */
  readonly onOpen: () => void;
  /** Called when a streamed list has not ended after `LATE_LIST_MS`. */
  readonly onLateList: () => void;
  readonly random: () => number;
  /** A watch fails after this long without data; default 70 s. Bookmarks arrive about once a minute. */
  readonly idleTimeoutMs?: number | undefined;
  /** After this long the server ends a watch whose connection is monitored; default 5 to 10 minutes. */
  readonly watchSeconds?: number | undefined;
}

const DEFAULT_IDLE_TIMEOUT_MS = 70_000;
/** The server ends a watch at its timeout; the end may arrive this much later. */
const END_GRACE_MS = 2000;
/**
 * Without pings, as over HTTP/1.1, a quiet watch and a dead one look the same. Such a watch gets this timeout, so that
 * it is reopened often, from the bookmark that the server sends 2 s before the end.
 */
const QUIET_SECONDS = 25;
const LATE_LIST_MS = 10_000;
const LIST_TIMEOUT_MS = 60_000;
const PAGE_SIZE = 500;
/** Enough for a page of objects of the maximum size. */
const MAX_PAGE_BYTES = 1024 * 1024 * 1024;
/** Items that are parsed and filtered before the event loop gets a turn: a few milliseconds. */
const ITEMS_PER_TURN = 100;

/** Creates the list and the watch of `target`: a streamed list if the server supports it, else pages. */
export function createListWatch(client: KubeClient, target: WatchTarget, options: ListWatchOptions): ListWatch {
  const requests = createRequests(client, target, options);
  const { withoutStreaming } = options;
  const key = `${target.kind.group}/${target.kind.plural}`;
  // Set when a streamed list failed: whatever the cause, the next attempt uses pages.
  let isPagedNext = false;

  return {
    watch: (resourceVersion, signal) => requests.watch({ resourceVersion }, signal),
    async *list(resourceVersion, signal) {
      if (!isPagedNext && !withoutStreaming.has(key)) {
        let isListed = false;
        try {
          for await (const frame of streamedList(requests, resourceVersion, { signal, ...options })) {
            isListed ||= frame.type === 'ListDone';
            yield frame;
          }
          return;
        } catch (error) {
          if (isListed || signal.aborted || error instanceof ResourceExpiredError) throw error;
          isPagedNext = true;
          if (!isUnsupported(error)) throw error;
          withoutStreaming.add(key);
        }
      }
      yield* pagedList(requests, resourceVersion, signal);
      isPagedNext = false;
    },
  };
}

interface Requests {
  readonly target: WatchTarget;
  watch(query: Query, signal: AbortSignal): AsyncIterable<WatchFrame>;
  page(query: Query, signal: AbortSignal): Promise<Uint8Array>;
}

type Query = Readonly<Record<string, string>>;

function createRequests(client: KubeClient, target: WatchTarget, options: ListWatchOptions): Requests {
  const { onContact, onCarried, onOpen, random, watchSeconds, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const { kind, namespace, labelSelector, fieldSelector } = target;
  const path = resourcePath(kind, namespace === undefined ? {} : { namespace });
  const selectors = present({ labelSelector, fieldSelector });
  let isPinged = true;
  const get = (query: Query): KubeRequest => ({
    method: 'GET',
    path,
    query: { ...selectors, ...present(query) },
    onCarried: (carrier) => {
      ({ isPinged } = carrier);
      onCarried?.(carrier);
    },
  });

  return {
    target,
    async *watch(query, signal) {
      const isList = query['sendInitialEvents'] === 'true';
      const quietSeconds = QUIET_SECONDS + Math.floor(random() * 5);
      // Between 5 and 10 minutes, so that many watches do not reconnect at the same time.
      const longSeconds = watchSeconds ?? 300 + Math.floor(random() * 300);
      const timeoutSeconds = isPinged || isList ? longSeconds : quietSeconds;
      const search = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(timeoutSeconds), ...query };
      using quiet = new QuietEnd(quietSeconds * 1000 + END_GRACE_MS, signal);
      const opened = (): void => {
        onOpen();
        if (!isPinged && !isList) quiet.start();
      };
      const stream = { signal: quiet.signal, idleTimeoutMs, onOpen: opened, onData: onContact };
      try {
        for await (const line of client.lines(get(search), stream)) {
          const frame = readFrame(line);
          if (!isPinged && frame.type === 'Bookmark' && frame.isInitialEventsEnd) quiet.start();
          quiet.refresh();
          yield frame;
        }
      } catch (error) {
        if (!quiet.isOver) throw error;
      }
    },
    async page(query, signal) {
      const page = await client.bytes({ ...get(query), timeoutMs: LIST_TIMEOUT_MS, maxBytes: MAX_PAGE_BYTES }, signal);
      onContact();
      onOpen();
      return page;
    },
  };
}

/** Drops the parameters that are undefined or empty. */
function present(query: Readonly<Record<string, string | undefined>>): Query {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  );
}

interface StreamedListOptions {
  readonly signal: AbortSignal;
  readonly onLateList: () => void;
}

async function* streamedList(
  requests: Requests,
  resourceVersion: string,
  { signal, onLateList }: StreamedListOptions,
): AsyncGenerator<ListFrame, void, void> {
  const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', resourceVersion };
  const frames = requests.watch(query, signal);
  const late = setTimeout(onLateList, LATE_LIST_MS);
  let isListed = false;
  // A deletion during the list is delivered after its end: the list may have contained the object.
  const deleted: WatchFrame[] = [];
  try {
    yield { type: 'ListStart' };
    for await (const frame of frames) {
      if (isListed) yield frame;
      else if (frame.type === 'Apply') yield { type: 'Listed', object: frame.object };
      else if (frame.type === 'Delete') deleted.push(frame);
      else if (frame.isInitialEventsEnd) {
        clearTimeout(late);
        isListed = true;
        yield { type: 'ListDone', resourceVersion: frame.resourceVersion };
        yield* deleted.splice(0);
      }
    }
  } finally {
    clearTimeout(late);
  }
  if (!isListed) throw malformed('a streamed list without an end');
}

async function* pagedList(
  requests: Requests,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<ListFrame, void, void> {
  const resourceVersionMatch = resourceVersion === '' ? '' : 'NotOlderThan';
  let query: Query = { limit: String(PAGE_SIZE), resourceVersion, resourceVersionMatch };
  yield { type: 'ListStart' };
  for (;;) {
    try {
      const page = yield* listPage(requests, query, signal);
      if (page.continueToken === '') {
        yield { type: 'ListDone', resourceVersion: page.resourceVersion };
        return;
      }
      query = { limit: String(PAGE_SIZE), continue: page.continueToken };
    } catch (error) {
      // The version of the pages so far has expired. List again in one page, which cannot expire halfway.
      if (!(error instanceof ResourceExpiredError) || query['continue'] === undefined) throw error;
      query = {};
      yield { type: 'ListStart' };
    }
  }
}

async function* listPage(requests: Requests, query: Query, signal: AbortSignal) {
  const json = await requests.page(query, signal);
  const page = scanList(json);
  for (const [index, range] of page.items.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await nextTurn();
    yield { type: 'Listed', object: readItem(json, range, requests.target.kind) } as const;
  }
  return page;
}

/** Whether the server does not support streamed lists, as opposed to being unavailable. */
function isUnsupported(error: unknown): boolean {
  return error instanceof KubeError && [400, 405, 406, 415, 422, 501].includes(error.status);
}
