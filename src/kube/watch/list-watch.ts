import { KubeError, ResourceExpiredError } from '../../errors.ts';
import { nextTurn } from '../../lib/turn.ts';
import type { KubeClient, KubeRequest } from '../client.ts';
import type { Carrier } from '../http/http.ts';
import { resourcePath, type ResourceKind } from '../kind.ts';
import { malformed, type KubeObject } from '../object.ts';
import { readItem, scanList } from './object-list.ts';
import { QuietEnd } from './quiet-end.ts';
import { readFrame, type WatchFrame } from './watch-frame.ts';

/** What is listed and watched: a kind, in one namespace or all, of which the selectors take a part. */
export interface WatchTarget {
  readonly kind: ResourceKind;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What a list brings. A streamed one goes on with the frames of the watch after `ListDone`. */
export type ListFrame =
  | { readonly type: 'ListStart' }
  | { readonly type: 'Listed'; readonly object: KubeObject }
  | { readonly type: 'ListDone'; readonly resourceVersion: string }
  | WatchFrame;

/** The two requests a reflector makes. */
export interface ListWatch {
  /** The collection in a version not older than `resourceVersion`; empty: as it is now. */
  list(resourceVersion: string, signal: AbortSignal): AsyncIterable<ListFrame>;
  /** What happened after `resourceVersion`. */
  watch(resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchFrame>;
}

export interface ListWatchOptions {
  /** Kinds whose server refused a streamed list; shared by all watches of a server, so that each is asked once. */
  readonly withoutStreaming: Set<string>;
  /** Whenever bytes came from the server. */
  readonly onContact: () => void;
  /** Which connection carries the request that is under way. */
  readonly onCarried?: (carrier: Carrier) => void;
  /** The server accepted a watch or answered a list. */
  readonly onOpen: () => void;
  /** A streamed list has not come to its end in `LATE_LIST_MS`. */
  readonly onLateList: () => void;
  readonly random: () => number;
  /** Silence after which a watch counts as dead; bookmarks come about once a minute. */
  readonly idleTimeoutMs?: number | undefined;
}

const DEFAULT_IDLE_TIMEOUT_MS = 70_000;
/** A server ends a watch in time, if it is there; the end may take so long to come. */
const END_GRACE_MS = 2000;
/**
 * Where pings do not look after a watch, as over HTTP/1.1, nothing tells a quiet one from a dead one: it is opened anew
 * after so long, from a bookmark that the server sends 2 s before that.
 */
const QUIET_SECONDS = 25;
const LATE_LIST_MS = 10_000;
const LIST_TIMEOUT_MS = 60_000;
const PAGE_SIZE = 500;
/** Of a page of objects that are all as large as the API server stores them. */
const MAX_PAGE_BYTES = 1024 * 1024 * 1024;
/** So many items are parsed and filtered at a stretch: a few milliseconds. */
const BREATHER_ITEMS = 100;

/** Lists and watches `target` through `client`: a streamed list where the server can, else pages. */
export function createListWatch(client: KubeClient, target: WatchTarget, options: ListWatchOptions): ListWatch {
  const requests = createRequests(client, target, options);
  const { withoutStreaming } = options;
  const key = `${target.kind.group}/${target.kind.plural}`;
  // Set when a streamed list broke: whatever the cause, the next attempt is made in the other way.
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
  const { onContact, onCarried, onOpen, random, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
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
      // Between 5 and 10 minutes, so that a fleet of watches does not reconnect in step.
      const timeoutSeconds = isPinged || isList ? 300 + Math.floor(random() * 300) : quietSeconds;
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

/** The members that are neither absent nor empty. */
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
  // What is deleted while the list is on its way follows it: the list may have brought the object before.
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
      // The pages so far belong to a version that is gone: all of it anew, and at once, so that it cannot expire again.
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
    if (index % BREATHER_ITEMS === BREATHER_ITEMS - 1) await nextTurn();
    yield { type: 'Listed', object: readItem(json, range, requests.target.kind) } as const;
  }
  return page;
}

/** Whether the server does not know streamed lists, as opposed to being unwell. */
function isUnsupported(error: unknown): boolean {
  return error instanceof KubeError && [400, 405, 406, 415, 422, 501].includes(error.status);
}
